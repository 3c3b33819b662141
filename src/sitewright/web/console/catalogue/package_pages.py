"""`/console/catalogue`: the packages of the brand with their prices, and one package with its capabilities."""

from collections.abc import Sequence
from typing import Annotated, Any

from sitewright.catalogue.packages import service as packages
from sitewright.catalogue.packages.listing import service
from sitewright.catalogue.packages.listing.service import PackageFilter, PackageRow, State, state_of
from sitewright.kit.auth.rights import Right
from sitewright.kit.db import Transaction
from sitewright.kit.http.about import about
from sitewright.kit.http.messages import Messages
from sitewright.kit.http.responses import Response
from sitewright.kit.keyset import Page, PageRequest
from sitewright.kit.validation import Text
from sitewright.web.console.frame.console_pages import console_page
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.navigation import CATALOGUE
from sitewright.web.console.frame.page_routes import page_route
from sitewright.web.console.frame.rendering import render
from sitewright.web.console.lists.columns import Cell, Column, Filter
from sitewright.web.console.lists.console_list import ConsoleList, ListQuery
from sitewright.web.console.lists.pages import list_pages

SHOWN_PRICES = 3


class PackageQuery(ListQuery, frozen=True, kw_only=True, rename="camel"):
    """Which packages to list."""

    name: Annotated[str, Text(1, 255), about("Part of the name.", "Pro")] | None = None
    type: Annotated[str, Text(1, 255), about("The product type.", "subscription")] | None = None
    state: Annotated[State, about("Whether it is sold.", "sold")] | None = None


async def read(tx: Transaction, query: PackageQuery, page: PageRequest) -> Page[PackageRow]:
    wanted = PackageFilter(name=query.name, product_type=query.type, state=query.state)
    return await service.list_packages(tx, wanted, page)


async def more(request: ConsoleRequest) -> dict[str, Any]:
    return {"may_load": request.may(Right.SYSTEM)}


async def _types(request: ConsoleRequest) -> Sequence[tuple[str, str]]:
    return [(each, each) for each in await service.list_product_types(request.tx)]


def _prices(row: PackageRow) -> str:
    prices = zip(row.amounts, row.currencies, row.months, strict=True)
    return "; ".join(f"{amount} {currency} / {months}" for amount, currency, months in prices)


def _show_prices(row: PackageRow, messages: Messages) -> Cell:
    prices = list(zip(row.amounts, row.currencies, row.months, strict=True))
    if not prices:
        return Cell(text=messages("catalogue_free"))
    shown = [_show_price(messages.money(amount, currency), months, messages) for amount, currency, months in prices]
    shown = shown[:SHOWN_PRICES]
    left = len(prices) - len(shown)
    return Cell(text=", ".join(shown), note=messages("catalogue_more_prices", number=left) if left else None)


def _show_price(price: str, months: int, messages: Messages) -> str:
    """A price without a period is paid once, or is that of a free package."""
    if months == 0:
        return price
    return messages("catalogue_price_month" if months == 1 else "catalogue_price", price=price, months=months)


def _state(row: PackageRow, messages: Messages) -> Cell:
    state = state_of(row.active)
    return Cell(text=messages(f"catalogue_state_{state}"), tone="good" if state == "sold" else "neutral")


LIST = ConsoleList(
    path=CATALOGUE,
    prefix="catalogue",
    name="Packages",
    summary="The packages of the brand, with their prices.",
    query=PackageQuery,
    columns=(
        Column(
            name="name",
            value=lambda row: row.name,
            show=lambda row, _messages: Cell(text=row.name, href=f"{CATALOGUE}/packages/{row.ref}", note=row.key),
            is_sortable=True,
        ),
        Column(name="type", value=lambda row: row.product_type),
        Column(name="state", value=lambda row: state_of(row.active), show=_state),
        Column(name="prices", value=_prices, show=_show_prices),
        Column(name="trial", value=lambda row: row.trial_days or None, is_number=True),
        Column(name="display_order", value=lambda row: row.display_order, is_sortable=True, is_number=True),
        Column(name="ref", value=lambda row: row.ref, is_sortable=True, is_number=True),
        Column(name="key", value=lambda row: row.key, only_in="file"),
    ),
    filters=(
        Filter(name="name", kind="search"),
        Filter(name="type", options=_types),
        Filter(name="state", choices=("sold", "ended")),
    ),
    default_sort="display_order",
    read=read,
    template="catalogue.html",
    more=more,
)


async def show_package(request: ConsoleRequest, package_ref: int | None) -> Response:
    package = await packages.get_package(request.tx, package_ref or 0)
    given = {name: number for name, number in package.capabilities.items() if number}
    return render(
        request,
        "package.html",
        package=package,
        state=state_of(package.active),
        capabilities=sorted(given.items()),
        prices=[(request.messages.money(float(each.price), each.currency.alpha_code), each) for each in package.prices],
    )


PAGES = [
    *list_pages(LIST),
    console_page(
        page_route(
            f"{CATALOGUE}/packages/{{package_ref:int}}",
            "showPackage",
            "One package with its prices and capabilities.",
            more={404: "A page: the brand has no such package."},
        ),
        show_package,
    ),
]
