from collections.abc import Sequence
from datetime import datetime
from typing import Any, Protocol

import asyncpg
import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.keyset import ListStatement, Page, PageRequest, SortKey, read_page

_COLUMNS = (
    "m.ref, m.user_ref, m.site_ref, m.kind, m.created_at, m.attempts, m.next_attempt_at, m.sent_at, m.failed_at,"
    " m.last_error, m.facts is not null as has_content"
)
_STATES = {
    None: "true",
    "waiting": "m.sent_at is null and m.failed_at is null",
    "sent": "m.sent_at is not null",
    "failed": "m.failed_at is not null",
}


class MailRow(msgspec.Struct, frozen=True):
    ref: int
    user_ref: int | None
    site_ref: int | None
    kind: str
    created_at: datetime
    attempts: int
    next_attempt_at: datetime
    sent_at: datetime | None
    failed_at: datetime | None
    last_error: str | None
    has_content: bool


class Wanted(Protocol):
    """The filters of the list."""

    @property
    def state(self) -> str | None: ...
    @property
    def kind(self) -> str | None: ...
    @property
    def user_refs(self) -> Sequence[int] | None: ...
    @property
    def since(self) -> datetime | None: ...
    @property
    def until(self) -> datetime | None: ...


async def list_mails(tx: Transaction, wanted: Wanted, page: PageRequest) -> Page[MailRow]:
    conditions: list[str] = ["m.brand_ref = current_brand()", _STATES[wanted.state]]
    parameters: list[Any] = []
    day = "m.failed_at" if wanted.state == "failed" else "m.created_at"
    for condition, value in (
        ("m.kind =", wanted.kind),
        ("m.user_ref = any", wanted.user_refs),
        (f"{day} >=", wanted.since),
        (f"{day} <", wanted.until),
    ):
        if value is not None:
            parameters.append(value)
            conditions.append(f"{condition} (${len(parameters)})")
    statement = ListStatement(
        columns=_COLUMNS,
        tables="mails m",
        conditions=conditions,
        parameters=parameters,
        keys={"ref": SortKey("m.ref")},
        ref="m.ref",
    )
    return (await read_page(tx, statement, page)).of(_mail)


async def find_mail(tx: Transaction, ref: int) -> MailRow | None:
    row = await tx.fetchrow(
        f"select {_COLUMNS} from mails m where m.brand_ref = current_brand() and m.ref = $1",  # noqa: S608 - fixed parts
        ref,
    )
    return None if row is None else _mail(row)


def _mail(row: asyncpg.Record) -> MailRow:
    return MailRow(*list(row)[:11])
