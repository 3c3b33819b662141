"""GET /users: which users a caller may list, in which order, and how many there are."""

from typing import Any

from sitewright.accounts.resellers import service as resellers
from sitewright.accounts.search.lookup.service import check_search
from sitewright.accounts.users import presenters, store
from sitewright.accounts.users.requests import UserFilter
from sitewright.accounts.users.schemas import AccountHolders
from sitewright.accounts.users.searching import list_found
from sitewright.accounts.users.store import UserCriteria
from sitewright.kit.auth.caller import Caller
from sitewright.kit.dates import check_dates, from_instant, until_instant
from sitewright.kit.db import Transaction
from sitewright.kit.paging import Page, Window, cut
from sitewright.kit.problems import FieldErrors
from sitewright.kit.text import key_of
from sitewright.tenants.brands.schemas import BrandSettings


async def check_filter(tx: Transaction, caller: Caller, brand: BrandSettings, read: dict[str, Any]) -> FieldErrors:
    """Checks of a filter that go beyond its types."""
    errors = await resellers.check_reseller(tx, caller, read.get("reseller_ref"))
    return errors | check_dates(read, brand.time_zone) | _check_search(read)


def _check_search(read: dict[str, Any]) -> FieldErrors:
    if read.get("search") is None:
        return {}
    errors: FieldErrors = {}
    for name in ("username", "email"):
        if read.get(name) is not None:
            errors[name] = {f"invalid{name.capitalize()}": "cannot be combined with search: leave it out"}
    if read.get("offset"):
        errors["offset"] = {"invalidOffset": "cannot be combined with search: follow the Link header instead"}
    return errors | check_search(read["search"])


async def list_users(
    tx: Transaction, caller: Caller, brand: BrandSettings, query: UserFilter, window: Window
) -> tuple[AccountHolders, Page]:
    criteria = UserCriteria(
        reseller_ref=caller.reseller_ref or query.reseller_ref,
        show_deleted=query.show_deleted,
        since=None if query.date_from is None else from_instant(query.date_from, brand.time_zone),
        until=None if query.date_to is None else until_instant(query.date_to, brand.time_zone),
        username_key=None if query.username is None else key_of(query.username),
        email_key=None if query.email is None else key_of(query.email),
    )
    if query.search is not None:
        found, page = await list_found(tx, query.search, criteria, window)
        return AccountHolders(len(found) if brand.consistent_types else str(len(found)), found), page
    counted = await store.count_users(tx, criteria)
    rows, too_large = await store.read_page(tx, criteria, counted, window) if counted.users else ([], False)
    page = cut(window, [row["ref"] for row in rows], too_large=too_large)
    holders = [presenters.listed(row) for row in window.shown(rows)]
    return AccountHolders(counted.users if brand.consistent_types else str(counted.users), holders), page
