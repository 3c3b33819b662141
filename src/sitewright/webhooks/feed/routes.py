from typing import Any, cast

import msgspec

from sitewright.events.feed.service import EventsGone, Page
from sitewright.events.listing import service as listing
from sitewright.events.listing.service import EventNotFound
from sitewright.kit.auth.caller import NOT_RESELLERS
from sitewright.kit.http import Call, endpoint
from sitewright.kit.problems import FieldErrors
from sitewright.tenants.brands.errors import BrandNotFound
from sitewright.webhooks.feed import service
from sitewright.webhooks.feed.errors import TooManyWaitingCalls
from sitewright.webhooks.feed.schemas import Events, FeedQuery
from sitewright.webhooks.schemas import EventDocument


async def _wait(call: Call) -> None:
    """Before the request's transaction, because a waiting call must not hold a database connection."""
    query = await call.checked_query(FeedQuery, _check)
    assert call.brand_ref is not None  # noqa: S101 - the endpoint needs a brand
    wanted = service.wanted_of(query)
    if query.wait:
        disconnected = call.request.wait_for_disconnect
        call.prepared = await service.read_or_wait(call.resources, call.brand_ref, wanted, query.wait, disconnected)
    else:
        call.prepared = wanted


async def _check(read: dict[str, Any]) -> FieldErrors:
    return service.check_types(read.get("types"))


@endpoint(
    "GET",
    "/events",
    roles=NOT_RESELLERS,
    query=FeedQuery,
    prepare=_wait,
    errors=(BrandNotFound, EventsGone, TooManyWaitingCalls),
)
async def list_events(call: Call) -> Events:
    """The brand's events in order and without gaps. Follow `next`, and you miss none.

    With `wait`, a call without a new event waits for one (long polling). Events are kept for 30 days.
    """
    page = call.prepared if isinstance(call.prepared, Page) else await service.read(call.tx, call.prepared)
    bodies = msgspec.Raw(b"".join((b"[", page.bodies, b"]")))
    return Events(cast(list[dict[str, Any]], bodies), str(page.next))


@endpoint("GET", "/events/{sequence:int}", roles=NOT_RESELLERS, errors=(EventNotFound,))
async def get_event(call: Call, sequence: int) -> EventDocument:
    """One event, by its sequence."""
    return cast(EventDocument, msgspec.Raw((await listing.read_body(call.tx, sequence)).encode()))


endpoints = [list_events, get_event]
