"""The events of a brand as its staff sees them."""

from collections.abc import Sequence

from sitewright.events.listing import store
from sitewright.events.listing.store import Event, EventRow
from sitewright.kit.db import Transaction
from sitewright.kit.keyset import Page, PageRequest
from sitewright.kit.problems import NotFound

__all__ = ["Event", "EventNotFound", "EventRow", "find_event", "list_events", "read_body"]


class EventNotFound(NotFound):
    code = "eventNotFound"
    title = "No such event"
    detail = "This brand has no event with this number; events are kept for 30 days."


async def list_events(
    tx: Transaction, kind: str | None, site_refs: Sequence[int] | None, page: PageRequest
) -> Page[EventRow]:
    """`site_refs`: only events about these sites."""
    return await store.list_events(tx, kind, site_refs, page)


async def find_event(tx: Transaction, sequence: int) -> Event:
    found = await store.find_event(tx, sequence)
    if found is None:
        raise EventNotFound
    return found


async def read_body(tx: Transaction, sequence: int) -> str:
    """The event as it is delivered, in JSON."""
    body = await store.read_body(tx, sequence)
    if body is None:
        raise EventNotFound
    return body
