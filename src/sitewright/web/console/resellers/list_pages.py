"""`/console/resellers`: the resellers of the brand."""

from typing import Annotated, Any, Literal

from sitewright.accounts.resellers.listing import service
from sitewright.accounts.resellers.listing.service import ResellerFilter, ResellerRow
from sitewright.kit.auth.rights import Right
from sitewright.kit.db import Transaction
from sitewright.kit.http.about import about
from sitewright.kit.http.messages import Messages
from sitewright.kit.keyset import Page, PageRequest
from sitewright.kit.validation import Text
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.navigation import CUSTOMERS, RESELLERS
from sitewright.web.console.lists.columns import Cell, Column, Filter
from sitewright.web.console.lists.console_list import ConsoleList, ListQuery
from sitewright.web.console.lists.pages import list_pages

State = Literal["enabled", "disabled"]


class ResellerQuery(ListQuery, frozen=True, kw_only=True, rename="camel"):
    """Which resellers to list."""

    search: Annotated[str, Text(1, 255), about("The beginning of a name, or a ref.", "Corner")] | None = None
    state: Annotated[State, about("Whether their credentials are accepted.", "enabled")] | None = None


async def read(tx: Transaction, query: ResellerQuery, page: PageRequest) -> Page[ResellerRow]:
    is_enabled = None if query.state is None else query.state == "enabled"
    return await service.list_resellers(tx, ResellerFilter(search=query.search, is_enabled=is_enabled), page)


async def more(request: ConsoleRequest) -> dict[str, Any]:
    return {"may_change": request.may(Right.CHANGE)}


def _state(row: ResellerRow) -> State:
    return "enabled" if row.is_enabled else "disabled"


def _show_state(row: ResellerRow, messages: Messages) -> Cell:
    return Cell(text=messages(f"resellers_state_{_state(row)}"), tone="good" if row.is_enabled else "bad")


def _name(row: ResellerRow, _messages: Messages) -> Cell:
    note = row.display_name if row.display_name != row.name else None
    return Cell(text=row.name, href=f"{RESELLERS}/{row.ref}", note=note)


def _customers(row: ResellerRow, messages: Messages) -> Cell:
    limit = row.account_create_limit
    return Cell(
        text=messages.number(row.customers),
        href=f"{CUSTOMERS}?reseller={row.ref}",
        note=messages("resellers_limit", number=messages.number(limit)) if limit else None,
    )


LIST = ConsoleList(
    path=RESELLERS,
    prefix="resellers",
    name="Resellers",
    summary="The resellers of the brand.",
    query=ResellerQuery,
    columns=(
        Column(name="ref", value=lambda row: row.ref, is_sortable=True, is_number=True),
        Column(name="name", value=lambda row: row.name, show=_name, is_sortable=True),
        Column(name="display_name", value=lambda row: row.display_name, only_in="file"),
        Column(name="state", value=_state, show=_show_state),
        Column(name="customers", value=lambda row: row.customers, show=_customers, is_sortable=True, is_number=True),
        Column(name="created", value=lambda row: row.created_at),
    ),
    filters=(Filter(name="search", kind="search"), Filter(name="state", choices=("enabled", "disabled"))),
    read=read,
    template="reseller_list.html",
    more=more,
)
PAGES = list_pages(LIST)
