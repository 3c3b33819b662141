"""Events: what happened in a brand, stored in the transaction in which it happens.

The sequencer (`webhooks/sequencer`) numbers an event after its transaction has committed. Only then it is in the feed
and is delivered, so that transactions which emit at the same time do not wait for each other.
"""

import os
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
    await emit_prepared(tx, prepare(events))


class PreparedEvents(msgspec.Struct, frozen=True):
    """Events as the columns of one statement."""

    ids: list[str]
    kinds: list[str]
    bodies: list[bytes]
    times: list[datetime]


def prepare(events: Sequence[Event]) -> PreparedEvents:
    """The part of `emit_many` that needs no database, for callers that use the time in which it is busy."""
    ids = _random_ids(len(events))
    bodies = [_text_of(event, event_id) for event, event_id in zip(events, ids, strict=True)]
    return PreparedEvents(ids, [event.kind for event in events], bodies, [event.at for event in events])


async def emit_prepared(tx: Transaction, events: PreparedEvents) -> None:
    if events.ids:
        await store.insert_events(tx, events.ids, events.kinds, events.bodies, events.times)


class _Envelope(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """The fields that all events have."""

    event_name: str
    id: str
    created: datetime


def _random_ids(count: int) -> list[str]:
    """UUIDs of version 4 as text, in less than half the time that making an object of each takes."""
    digits = os.urandom(16 * count).hex()
    return [_uuid_of(digits[start : start + 32]) for start in range(0, len(digits), 32)]


def _uuid_of(digits: str) -> str:
    variant = "89ab"[int(digits[16], 16) % 4]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"


def _text_of(event: Event, event_id: str) -> bytes:
    """The body as JSON, with the fields that all events have before those of its kind. Times are to the second."""
    created = event.at.astimezone(UTC).replace(microsecond=0)
    envelope = msgspec.json.encode(_Envelope(event.kind, event_id, created))
    own = msgspec.json.encode(event.body)
    return envelope if own == b"{}" else envelope[:-1] + b"," + own[1:]


async def sequences_of_site(tx: Transaction, site_ref: int) -> list[int]:
    """The sequences of the events about a site."""
    return await store.sequences_of_site(tx, site_ref)


async def erase_site(tx: Transaction, site_ref: int) -> None:
    """Events about the site keep their order and refs, for pending deliveries; the site's names are erased."""
    await store.erase_site(tx, site_ref)
