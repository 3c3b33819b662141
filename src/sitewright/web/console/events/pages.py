"""`/console/events`: what happened in the brand, as webhooks report it."""

import json
from typing import Annotated

import msgspec

from sitewright.events.listing import service
from sitewright.events.listing.service import EventRow
from sitewright.events.names import NAMES
from sitewright.kit.auth.rights import Right
from sitewright.kit.db import Transaction
from sitewright.kit.http.about import about
from sitewright.kit.http.messages import Messages
from sitewright.kit.http.responses import Response
from sitewright.kit.keyset import Page, PageRequest
from sitewright.kit.validation import Ref, Text
from sitewright.sites.sites import service as sites
from sitewright.web.console.frame.console_pages import console_page
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.navigation import CUSTOMERS, EVENTS, SITES
from sitewright.web.console.frame.page_routes import page_route
from sitewright.web.console.frame.rendering import render
from sitewright.web.console.lists.columns import NOTHING, Cell, Column, Filter
from sitewright.web.console.lists.console_list import ConsoleList, ListQuery
from sitewright.web.console.lists.pages import list_pages
from sitewright.webhooks.listing import service as webhooks
from sitewright.webhooks.listing.service import Delivery


class EventQuery(ListQuery, frozen=True, kw_only=True, rename="camel"):
    """Which events to list."""

    kind: Annotated[str, Text(1, 100), about("The kind of event.", "site.publish")] | None = None
    user: Annotated[Ref, about("Events about the sites of this customer.", 12)] | None = None
    site: Annotated[Ref, about("Events about this site.", 7)] | None = None


class Row(msgspec.Struct, frozen=True):
    event: EventRow
    site_name: str | None


async def read(tx: Transaction, query: EventQuery, page: PageRequest) -> Page[Row]:
    site_refs = None if query.site is None else [query.site]
    if query.user is not None:
        owned = [site.ref for site in await sites.list_user_sites(tx, query.user, deleted=True)]
        site_refs = [ref for ref in owned if query.site in (None, ref)]
    found = await service.list_events(tx, query.kind, site_refs, page)
    names = await sites.names_of(tx, [row.site_ref for row in found.rows if row.site_ref is not None])
    return found.of(lambda event: Row(event, names.get(event.site_ref or 0)))


async def _kinds(_request: ConsoleRequest) -> list[tuple[str, str]]:
    return [(kind, kind) for kind in NAMES]


def _number(row: Row, _messages: Messages) -> Cell:
    return Cell(text=str(row.event.ref), href=f"{EVENTS}/{row.event.ref}")


def _site(row: Row, _messages: Messages) -> Cell:
    ref = row.event.site_ref
    return Cell(text=NOTHING) if ref is None else Cell(text=row.site_name or str(ref), href=f"{SITES}/{ref}")


def _user(row: Row, _messages: Messages) -> Cell:
    ref = row.event.user_ref
    return Cell(text=NOTHING) if ref is None else Cell(text=str(ref), href=f"{CUSTOMERS}/{ref}")


async def show_event(request: ConsoleRequest, event_ref: int | None) -> Response:
    event = await service.find_event(request.tx, event_ref or 0)
    deliveries = await webhooks.list_deliveries(request.tx, event.ref)
    return render(
        request,
        "event.html",
        event=event,
        at=request.messages.time(event.at),
        site_name=(await sites.names_of(request.tx, [event.site_ref or 0])).get(event.site_ref or 0),
        payload=json.dumps(event.body, indent=2, ensure_ascii=False),
        deliveries=[_delivery(request, each) for each in deliveries],
        may_replay=request.may(Right.SUPPORT),
    )


def _delivery(request: ConsoleRequest, delivery: Delivery) -> dict[str, object]:
    state = webhooks.state_of_delivery(delivery)
    at = delivery.delivered_at or delivery.dead_at or delivery.due_at
    return {"delivery": delivery, "state": state, "at": None if at is None else request.messages.time(at)}


LIST = ConsoleList(
    path=EVENTS,
    prefix="events",
    name="Events",
    summary="The events of the brand.",
    query=EventQuery,
    columns=(
        Column(name="ref", value=lambda row: row.event.ref, show=_number, is_sortable=True, is_number=True),
        Column(name="kind", value=lambda row: row.event.kind),
        Column(name="site", value=lambda row: row.event.site_ref, show=_site),
        Column(name="user", value=lambda row: row.event.user_ref, show=_user),
        Column(name="at", value=lambda row: row.event.at),
    ),
    filters=(
        Filter(name="kind", options=_kinds),
        Filter(name="user", kind="text"),
        Filter(name="site", kind="text"),
    ),
    read=read,
)
PAGES = [
    *list_pages(LIST),
    console_page(
        page_route(
            f"{EVENTS}/{{event_ref:int}}",
            "showEvent",
            "An event of the brand, with its payload and deliveries.",
            more={404: "A page: the brand has no such event."},
        ),
        show_event,
    ),
]
