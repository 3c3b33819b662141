"""`/console/addresses`: the addresses of the brand's sites, by name, health and reason."""

from typing import Annotated, Literal

from sitewright.domains.health.listing import service
from sitewright.domains.health.listing.service import REASONS, AddressFilter, ListedAddress
from sitewright.domains.health.service import Status
from sitewright.kit.db import Transaction
from sitewright.kit.hosts import decode_domain
from sitewright.kit.http.about import about
from sitewright.kit.http.messages import Messages
from sitewright.kit.keyset import Page, PageRequest
from sitewright.kit.validation import Text
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.navigation import ADDRESSES, CUSTOMERS, SITES
from sitewright.web.console.lists.columns import Cell, Column, Filter, Tone
from sitewright.web.console.lists.console_list import ConsoleList, ListQuery
from sitewright.web.console.lists.pages import list_pages
from sitewright.web.domains.service import describe_reason

Health = Literal["failing", "attention", "unknown", "ok"]
TONES: dict[Status, Tone] = {
    Status.FAILING: "bad",
    Status.ATTENTION: "warn",
    Status.UNKNOWN: "neutral",
    Status.OK: "good",
}


class AddressQuery(ListQuery, frozen=True, kw_only=True, rename="camel"):
    """Which addresses of sites to list."""

    search: Annotated[str, Text(1, 253), about("A host name, or its beginning.", "www.example.com")] | None = None
    health: (
        Annotated[Health, about("By the last health check. `failing`: by the last result that was certain.", "failing")]
        | None
    ) = None
    reason: Annotated[str, Text(1, 50), about("The `code` of the first failing check.", "certificate")] | None = None


async def read(tx: Transaction, query: AddressQuery, page: PageRequest) -> Page[ListedAddress]:
    health = None if query.health is None else Status(query.health)
    return await service.list_addresses(
        tx, AddressFilter(search=query.search, health=health, reason=query.reason), page
    )


def _address(row: ListedAddress, _messages: Messages) -> Cell:
    return Cell(text=decode_domain(row.domain), href=f"{SITES}/{row.site_ref}/domains/{row.ref}")


def _site(row: ListedAddress, messages: Messages) -> Cell:
    return Cell(text=messages("addresses_site_number", ref=row.site_ref), href=f"{SITES}/{row.site_ref}")


def _owner(row: ListedAddress, _messages: Messages) -> Cell:
    return Cell(text=row.owner_name, href=f"{CUSTOMERS}/{row.user_ref}")


def _health(row: ListedAddress, messages: Messages) -> Cell:
    if row.health is None:
        return Cell(text=messages("health_none"), tone="neutral")
    note = None if row.reason is None else describe_reason(row.reason, messages)
    return Cell(text=messages(f"health_{row.health}"), tone=TONES[row.health], note=note)


async def _health_options(request: ConsoleRequest) -> list[tuple[str, str]]:
    return [(each.value, request.messages(f"health_{each}")) for each in TONES]


async def _reason_options(request: ConsoleRequest) -> list[tuple[str, str]]:
    return [(each, describe_reason(each, request.messages)) for each in REASONS]


LIST = ConsoleList(
    path=ADDRESSES,
    prefix="addresses",
    name="Addresses",
    summary="The addresses of the brand's sites.",
    query=AddressQuery,
    columns=(
        Column(name="ref", value=lambda row: row.ref, is_sortable=True, is_number=True),
        Column(name="address", value=lambda row: row.domain, show=_address),
        Column(name="health", value=lambda row: row.health and row.health.value, show=_health),
        Column(name="reason", value=lambda row: row.reason, only_in="file"),
        Column(name="checked", value=lambda row: row.checked_at),
        Column(name="site", value=lambda row: row.site_ref, show=_site),
        Column(name="user", value=lambda row: row.user_ref, only_in="file"),
        Column(name="owner", value=lambda row: row.owner_name, show=_owner),
        Column(name="mapped", value=lambda row: row.mapped_at),
    ),
    filters=(
        Filter(name="search", kind="search"),
        Filter(name="health", options=_health_options),
        Filter(name="reason", options=_reason_options),
    ),
    read=read,
)
PAGES = list_pages(LIST)
