"""Lists account holders for the staff of a brand. A search has its own order; other lists are sorted on an index."""

from datetime import datetime
from typing import Literal

import msgspec

from sitewright.accounts.search.lookup import service as lookup
from sitewright.accounts.users.customers import store
from sitewright.accounts.users.customers.store import CustomerDetails, CustomerRow
from sitewright.accounts.users.errors import UserNotFound
from sitewright.kit.db import Transaction
from sitewright.kit.keyset import Page, PageRequest, Position
from sitewright.kit.paging import Window
from sitewright.kit.problems import Invalid

__all__ = [
    "CustomerDetails",
    "CustomerFilter",
    "CustomerRow",
    "State",
    "WantedState",
    "find_customer",
    "list_customers",
    "state_of",
]
State = Literal["active", "trial", "paying", "suspended", "deleted"]
WantedState = Literal[State, "current"]
"""`current`: not deleted."""


class CustomerFilter(msgspec.Struct, frozen=True, kw_only=True):
    """All given filters must match. `until` is exclusive. `active`: neither suspended nor deleted."""

    search: str | None = None
    package_ref: int | None = None
    reseller_ref: int | None = None
    state: WantedState | None = None
    since: datetime | None = None
    until: datetime | None = None


async def list_customers(tx: Transaction, wanted: CustomerFilter, page: PageRequest) -> Page[CustomerRow]:
    """Deleted ones too, unless the state excludes them. The page's rows are read by one statement."""
    refs = await (_find(tx, wanted.search, wanted, page) if wanted.search else store.list_refs(tx, wanted, page))
    rows = await store.read_rows(tx, refs.rows)
    return Page([rows[ref] for ref in refs.rows if ref in rows], refs.before, refs.after)


async def _find(tx: Transaction, search: str, wanted: CustomerFilter, page: PageRequest) -> Page[int]:
    """A page may be short, or empty, although more follow: the work of one page is bounded."""
    if not any(map(str.isalnum, search)):
        return Page([])
    if errors := lookup.check_search(search):
        raise Invalid.fields(errors)
    window = Window(limit=page.limit, after=_ref(page.after), before=None if page.after else _ref(page.before))
    found = await lookup.find_users(tx, search, _conditions(wanted), window)
    shown = list(window.shown(found.refs))
    has_more = len(found.refs) > window.limit or found.resume is not None
    first, last = (shown[0], shown[-1]) if shown else (found.resume, found.resume)
    is_backward = window.before is not None
    before = (found.resume or first) if is_backward and has_more else first if window.after is not None else None
    after = last if is_backward else (found.resume or last) if has_more else None
    return Page(shown, _position(before), _position(after))


def _conditions(wanted: CustomerFilter) -> lookup.Filter:
    is_of_deleted = {None: None, "deleted": True}.get(wanted.state, False)
    return lookup.Filter(
        show_deleted=is_of_deleted is not False,
        only_deleted=is_of_deleted is True,
        is_suspended={"suspended": True, "active": False}.get(wanted.state or ""),
        package_ref=wanted.package_ref,
        is_trial={"trial": True, "paying": False}.get(wanted.state or ""),
        reseller_ref=wanted.reseller_ref,
        since=wanted.since,
        until=wanted.until,
    )


def _ref(position: Position | None) -> int | None:
    return None if position is None else position.ref


def _position(ref: int | None) -> Position | None:
    return None if ref is None else Position(str(ref), ref)


async def find_customer(tx: Transaction, user_ref: int) -> CustomerDetails:
    """Deleted or not."""
    found = await store.find_customer(tx, user_ref)
    if found is None:
        raise UserNotFound
    return found


def state_of(customer: CustomerRow | CustomerDetails) -> State:
    """The one that matters most."""
    if customer.deleted_at is not None:
        return "deleted"
    if customer.suspended_at is not None:
        return "suspended"
    return "trial" if customer.is_trial else "paying" if customer.is_paying else "active"
