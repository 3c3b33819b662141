"""`/console/customers`: find customers."""

from collections.abc import Sequence

from sitewright.accounts.resellers import service as resellers
from sitewright.accounts.users.customers import service
from sitewright.accounts.users.customers.service import CustomerFilter, CustomerRow, State, state_of
from sitewright.catalogue.packages import service as packages
from sitewright.kit.dates import check_dates, from_instant, until_instant
from sitewright.kit.db import Transaction
from sitewright.kit.http.messages import Messages
from sitewright.kit.keyset import Page, PageRequest
from sitewright.kit.problems import Invalid
from sitewright.kit.validation import parse_query, parse_ref
from sitewright.tenants.brands import service as brands
from sitewright.web.console.customers.schemas import CustomerQuery
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.navigation import CUSTOMERS, RESELLERS
from sitewright.web.console.lists.columns import NOTHING, Cell, Column, Filter, Tone
from sitewright.web.console.lists.console_list import ConsoleList
from sitewright.web.console.lists.pages import list_pages

TONES: dict[State, Tone] = {
    "active": "neutral",
    "trial": "accent",
    "paying": "good",
    "suspended": "warn",
    "deleted": "bad",
}
MAX_RESELLERS = 500
"""In the choice; the search finds the customers of all."""


async def read(tx: Transaction, query: CustomerQuery, page: PageRequest) -> Page[CustomerRow]:
    zone = (await brands.settings_of_brand(tx)).time_zone
    if errors := check_dates({"date_from": query.date_from, "date_to": query.date_to}, zone):
        raise Invalid.fields(errors)
    wanted = CustomerFilter(
        search=query.search,
        package_ref=query.package,
        reseller_ref=query.reseller,
        state=query.state,
        since=None if query.date_from is None else from_instant(query.date_from, zone),
        until=None if query.date_to is None else until_instant(query.date_to, zone),
    )
    return await service.list_customers(tx, wanted, page)


async def _packages(request: ConsoleRequest) -> Sequence[tuple[str, str]]:
    return [(str(ref), name) for ref, name in await packages.list_names(request.tx)]


async def _resellers(request: ConsoleRequest) -> Sequence[tuple[str, str]]:
    chosen = parse_ref(parse_query(request.http_request.query).get("reseller", ""))
    return [(str(ref), name) for ref, name in await resellers.list_names(request.tx, MAX_RESELLERS, chosen)]


def _name(row: CustomerRow, _messages: Messages) -> Cell:
    return Cell(text=row.name, href=f"{CUSTOMERS}/{row.ref}", note=row.company or None)


def _email(row: CustomerRow, _messages: Messages) -> Cell:
    return Cell(text=row.email, note=None if row.username == row.email else row.username)


def _state(row: CustomerRow, messages: Messages) -> Cell:
    state = state_of(row)
    return Cell(text=messages(f"customers_state_{state}"), tone=TONES[state])


def _reseller(row: CustomerRow, _messages: Messages) -> Cell:
    if row.reseller_ref is None:
        return Cell(text=NOTHING)
    return Cell(text=row.reseller_name or str(row.reseller_ref), href=f"{RESELLERS}/{row.reseller_ref}")


LIST = ConsoleList(
    path=CUSTOMERS,
    prefix="customers",
    name="Customers",
    summary="The customers of the brand.",
    query=CustomerQuery,
    columns=(
        Column(name="ref", value=lambda row: row.ref, is_sortable=True, is_number=True, only_in="file"),
        Column(name="name", value=lambda row: row.name, show=_name),
        Column(name="company", value=lambda row: row.company, only_in="file"),
        Column(name="email", value=lambda row: row.email, show=_email, is_sortable=True),
        Column(name="username", value=lambda row: row.username, is_sortable=True, only_in="file"),
        Column(name="state", value=state_of, show=_state),
        Column(name="package", value=lambda row: row.package_name),
        Column(name="reseller", value=lambda row: row.reseller_name, show=_reseller),
        Column(name="country", value=lambda row: row.country, only_in="file"),
        Column(name="language", value=lambda row: row.language_code, only_in="file"),
        Column(name="created", value=lambda row: row.created_at, is_sortable=True),
        Column(name="last_login", value=lambda row: row.last_login_at),
    ),
    filters=(
        Filter(name="search", kind="search"),
        Filter(name="state", choices=("current", "active", "trial", "paying", "suspended", "deleted")),
        Filter(name="package", options=_packages),
        Filter(name="reseller", options=_resellers),
        Filter(name="dateFrom", kind="day"),
        Filter(name="dateTo", kind="day"),
    ),
    default_sort="-ref",
    read=read,
    own_order="search",
)
PAGES = list_pages(LIST)
