"""The jobs of all brands, for system-owners."""

from typing import Literal

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.jobs.listing import store
from sitewright.kit.jobs.listing.store import JobRow
from sitewright.kit.keyset import Page, PageRequest

State = Literal["waiting", "running", "failed"]
STATUS: dict[State, str] = {"waiting": "queued", "running": "picked", "failed": "failed"}
"""What PgQueuer calls them."""


class JobFilter(msgspec.Struct, frozen=True, kw_only=True):
    state: State | None = None
    kind: str | None = None


async def list_jobs(tx: Transaction, wanted: JobFilter, page: PageRequest) -> Page[JobRow]:
    return await store.list_jobs(tx, None if wanted.state is None else STATUS[wanted.state], wanted.kind, page)


async def list_kinds(tx: Transaction) -> list[str]:
    """Of the jobs that there are now."""
    return await store.list_kinds(tx)


async def has_failed(tx: Transaction) -> bool:
    return await store.has_failed(tx)


def state_of(row: JobRow) -> State:
    return next((state for state, status in STATUS.items() if status == row.status), "waiting")
