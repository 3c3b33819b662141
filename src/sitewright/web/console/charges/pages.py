"""`/console/charges`: what customers were charged, by customer, package, currency and day."""

from collections.abc import Sequence
from typing import Annotated

import msgspec

from sitewright.accounts.account_packages.charges import service
from sitewright.accounts.account_packages.charges.service import ChargeFilter, ListedCharge
from sitewright.catalogue.packages import service as packages
from sitewright.kit.db import Transaction
from sitewright.kit.http.about import about
from sitewright.kit.http.messages import Messages
from sitewright.kit.keyset import Page, PageRequest
from sitewright.kit.validation import Ref, Text
from sitewright.tenants.brands import service as brands
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.navigation import CHARGES, CUSTOMERS
from sitewright.web.console.lists.columns import Cell, Column, Filter
from sitewright.web.console.lists.console_list import ConsoleList, ListQuery
from sitewright.web.console.lists.pages import list_pages
from sitewright.web.console.lists.periods import period_of


class ChargeQuery(ListQuery, frozen=True, kw_only=True, rename="camel"):
    """Which charges to list."""

    user: Annotated[Ref, about("The customer's number.", 41)] | None = None
    package: Annotated[Ref, about("The ref of the package.", 3)] | None = None
    currency: Annotated[str, Text(3, 3), about("The code of a currency.", "EUR")] | None = None
    first: Annotated[str, Text(1, 40), about("The first day.", "2026-07-01")] | None = msgspec.field(
        name="from", default=None
    )
    last: Annotated[str, Text(1, 40), about("The last day.", "2026-07-31")] | None = msgspec.field(
        name="to", default=None
    )


async def read(tx: Transaction, query: ChargeQuery, page: PageRequest) -> Page[ListedCharge]:
    since, until = period_of(query.first, query.last, (await brands.settings_of_brand(tx)).time_zone)
    wanted = ChargeFilter(
        user_ref=query.user, package_ref=query.package, currency=query.currency, since=since, until=until
    )
    return await service.list_charges(tx, wanted, page)


async def _packages(request: ConsoleRequest) -> Sequence[tuple[str, str]]:
    return [(str(ref), name) for ref, name in await packages.list_names(request.tx)]


async def _currencies(request: ConsoleRequest) -> Sequence[tuple[str, str]]:
    return [(each.alpha_code, each.alpha_code) for each in await packages.list_currencies(request.tx)]


def _customer(row: ListedCharge, messages: Messages) -> Cell:
    name = row.customer or messages("charges_customer_number", ref=row.user_ref)
    return Cell(text=name, href=f"{CUSTOMERS}/{row.user_ref}")


def _amount(row: ListedCharge, messages: Messages) -> Cell:
    return Cell(text=messages.money(row.amount, row.currency_code))


LIST = ConsoleList(
    path=CHARGES,
    prefix="charges",
    name="Charges",
    summary="What the customers of the brand were charged.",
    query=ChargeQuery,
    columns=(
        Column(name="ref", value=lambda row: row.ref, only_in="file"),
        Column(name="at", value=lambda row: row.at, is_sortable=True),
        Column(name="user", value=lambda row: row.user_ref, only_in="file"),
        Column(name="customer", value=lambda row: row.customer, show=_customer),
        Column(name="package", value=lambda row: row.package_name),
        Column(name="amount", value=lambda row: row.amount, show=_amount, is_number=True),
        Column(name="currency", value=lambda row: row.currency_code, only_in="file"),
        Column(name="months", value=lambda row: row.months, only_in="file"),
        Column(name="period_starts", value=lambda row: row.period_starts_at),
        Column(name="period_ends", value=lambda row: row.period_ends_at),
    ),
    filters=(
        Filter(name="user", kind="text"),
        Filter(name="package", options=_packages),
        Filter(name="currency", options=_currencies),
        Filter(name="from", kind="day"),
        Filter(name="to", kind="day"),
    ),
    default_sort="-at",
    read=read,
)
PAGES = list_pages(LIST)
