"""`/console/domains`: the registered domains of the brand, by name, state and customer."""

from typing import Annotated, Any, Literal

import msgspec

from sitewright.domains.account_domains.operating import service
from sitewright.domains.account_domains.operating.service import DomainFilter, ListedDomain, State, state_of
from sitewright.domains.health import service as health
from sitewright.domains.health.service import Status
from sitewright.kit.auth.rights import Right
from sitewright.kit.db import Transaction
from sitewright.kit.hosts import decode_domain
from sitewright.kit.http.about import about
from sitewright.kit.http.messages import Messages
from sitewright.kit.keyset import Page, PageRequest
from sitewright.kit.validation import Ref, Text
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.navigation import CUSTOMERS, DOMAINS
from sitewright.web.console.lists.columns import Cell, Column, Filter, Tone
from sitewright.web.console.lists.console_list import ConsoleList, ListQuery
from sitewright.web.console.lists.pages import list_pages

TONES: dict[str, Tone] = {
    "failed": "bad",
    "pending": "accent",
    "active": "good",
    "expired": "warn",
    "deleted": "neutral",
}
Health = Literal["failing", "attention", "unknown", "ok"]
HEALTH_TONES: dict[Status, Tone] = {
    Status.FAILING: "bad",
    Status.ATTENTION: "warn",
    Status.UNKNOWN: "neutral",
    Status.OK: "good",
}


class DomainQuery(ListQuery, frozen=True, kw_only=True, rename="camel"):
    """Which registered domains to list."""

    search: Annotated[str, Text(1, 253), about("A name, or its beginning.", "example.com")] | None = None
    state: (
        Annotated[State, about("`failed`: the registrar refused, or gave no clear response so far.", "failed")] | None
    ) = None
    user: Annotated[Ref, about("Only domains of this user.", 41)] | None = None
    health: Annotated[Health, about("By the last health checks of the domain and its sites.", "failing")] | None = None


class DomainRow(msgspec.Struct, frozen=True):
    domain: ListedDomain
    health: Status | None
    """None: never checked."""


async def read(tx: Transaction, query: DomainQuery, page: PageRequest) -> Page[DomainRow]:
    refs = None if query.health is None else await health.account_domains_with(tx, Status(query.health))
    wanted = DomainFilter(search=query.search, state=query.state, user_ref=query.user, refs=refs)
    found = await service.list_of_brand(tx, wanted, page)
    statuses = await health.statuses_of_account_domains(tx, [each.ref for each in found.rows])
    return found.of(lambda each: DomainRow(each, statuses.get(each.ref)))


async def more(request: ConsoleRequest) -> dict[str, Any]:
    return {"may_retry": request.may(Right.SUPPORT)}


def state_cell(row: ListedDomain, messages: Messages) -> Cell:
    state = state_of(row)
    return Cell(text=messages(f"domains_state_{state}"), tone=TONES[state], note=row.failure)


def _name(row: DomainRow, _messages: Messages) -> Cell:
    return Cell(text=decode_domain(row.domain.domain), href=f"{DOMAINS}/{row.domain.ref}")


def _owner(row: DomainRow, _messages: Messages) -> Cell:
    return Cell(text=row.domain.owner_name, href=f"{CUSTOMERS}/{row.domain.user_ref}")


def _health(row: DomainRow, messages: Messages) -> Cell:
    if row.health is None:
        return Cell(text=messages("health_none"), tone="neutral")
    return Cell(text=messages(f"health_{row.health}"), tone=HEALTH_TONES[row.health])


async def _health_options(request: ConsoleRequest) -> list[tuple[str, str]]:
    return [(each.value, request.messages(f"health_{each}")) for each in HEALTH_TONES]


LIST = ConsoleList(
    path=DOMAINS,
    prefix="domains",
    name="Domains",
    summary="The registered domains of the brand.",
    query=DomainQuery,
    columns=(
        Column(name="ref", value=lambda row: row.domain.ref, is_sortable=True, is_number=True),
        Column(name="domain", value=lambda row: row.domain.domain, show=_name),
        Column(name="user", value=lambda row: row.domain.user_ref, only_in="file"),
        Column(name="owner", value=lambda row: row.domain.owner_name, show=_owner),
        Column(
            name="state",
            value=lambda row: state_of(row.domain),
            show=lambda row, messages: state_cell(row.domain, messages),
        ),
        Column(name="failure", value=lambda row: row.domain.failure, only_in="file"),
        Column(name="health", value=lambda row: row.health and row.health.value, show=_health),
        Column(
            name="expires",
            value=lambda row: None if row.domain.is_void else row.domain.expires_at,
            is_sortable=True,
        ),
        Column(name="renews", value=lambda row: row.domain.auto_renew),
    ),
    filters=(
        Filter(name="search", kind="search"),
        Filter(name="state", choices=tuple(TONES)),
        Filter(name="health", options=_health_options),
        Filter(name="user", kind="text"),
    ),
    read=read,
    template="domain_list.html",
    more=more,
)
PAGES = list_pages(LIST)
