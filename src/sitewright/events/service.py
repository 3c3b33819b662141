"""Events: what happened in a brand, stored in the transaction in which it happens.

The sequencer (`webhooks/sequencer`) numbers an event after its transaction has committed. Only then it is in the feed
and is delivered, so that transactions which emit at the same time do not wait for each other.
"""

import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from sitewright.events import store
from sitewright.events.kinds import Event
from sitewright.kit.db import Transaction


async def emit(tx: Transaction, kind: str, body: dict[str, Any], at: datetime) -> None:
    """Store an event of the transaction's brand."""
    await emit_many(tx, [Event(kind, body, at)])


async def emit_many(tx: Transaction, events: Sequence[Event]) -> None:
    """As `emit`, in one statement for any number of events; nothing for none."""
    if not events:
        return
    ids = [uuid.uuid4() for _ in events]
    bodies = [_text_of(event, event_id) for event, event_id in zip(events, ids, strict=True)]
    await store.insert_events(tx, ids, [event.kind for event in events], bodies, [event.at for event in events])


class _Envelope(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """The fields that all events have."""

    event_name: str
    id: uuid.UUID
    created: datetime


def _text_of(event: Event, event_id: uuid.UUID) -> str:
    """The body as JSON, with the fields that all events have before those of its kind. Times are to the second."""
    created = event.at.astimezone(UTC).replace(microsecond=0)
    envelope = msgspec.json.encode(_Envelope(event.kind, event_id, created))
    own = msgspec.json.encode(event.body)
    return (envelope if own == b"{}" else envelope[:-1] + b"," + own[1:]).decode()


async def sequences_of_site(tx: Transaction, site_ref: int) -> list[int]:
    """The sequences of the events about a site."""
    return await store.sequences_of_site(tx, site_ref)


async def erase_site(tx: Transaction, site_ref: int) -> None:
    """Events about the site keep their order and refs, for pending deliveries; the site's names are erased."""
    await store.erase_site(tx, site_ref)
