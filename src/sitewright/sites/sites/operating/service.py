"""The sites of a brand with their owner and state, also deleted ones."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.hosts import normalize_part
from sitewright.kit.keyset import Page, PageRequest
from sitewright.kit.validation import parse_ref
from sitewright.sites.sites.errors import SiteNotFound
from sitewright.sites.sites.online import offline_reason
from sitewright.sites.sites.operating import store
from sitewright.sites.sites.operating.store import SiteRow

__all__ = [
    "SiteFilter",
    "SiteRow",
    "State",
    "WantedState",
    "find_site",
    "find_sites_of_hosts",
    "list_sites",
    "state_of",
]
State = Literal[
    "published",
    "neverPublished",
    "notLive",
    "siteDisabled",
    "accountHolderSuspended",
    "accountHolderDeleted",
    "deleted",
]
"""`published`: visitors see it; the others are reasons why they do not."""
WantedState = Literal[State, "publishedByOwner", "offline"]
"""`publishedByOwner`: online, or offline only because the account holder is suspended or deleted.
`offline`: for any reason, and not deleted."""


class SiteFilter(msgspec.Struct, frozen=True, kw_only=True):
    """`search`: a host name or its beginning, or the number of a site."""

    search: str | None = None
    state: WantedState | None = None
    user_ref: int | None = None


async def list_sites(tx: Transaction, wanted: SiteFilter, page: PageRequest) -> Page[SiteRow]:
    searched = wanted.search or None
    return await store.list_sites(
        tx,
        wanted.state,
        wanted.user_ref,
        None if searched is None else normalize_part(searched),
        None if searched is None else parse_ref(searched),
        page,
    )


async def find_site(tx: Transaction, site_ref: int) -> SiteRow:
    """Deleted or not."""
    found = await store.find_site(tx, site_ref)
    if found is None:
        raise SiteNotFound
    return found


async def find_sites_of_hosts(tx: Transaction, hosts: Sequence[str]) -> dict[str, int]:
    """The site of each host that is mapped to one of the brand."""
    return await store.find_sites_of_hosts(tx, hosts)


def state_of(row: SiteRow) -> State:
    if row.deleted_at is not None:
        return "deleted"
    reason = offline_reason(row.online_state)
    return "published" if reason is None else reason.value
