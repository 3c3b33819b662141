"""Events: what happened in a brand, stored in the transaction in which it happens, for observers to deliver."""

import uuid
from datetime import UTC, datetime
from typing import Any

from sitewright.events import store
from sitewright.events.hooks import Emitted, events_emitted
from sitewright.kit.db import Transaction


async def emit(tx: Transaction, kind: str, body: dict[str, Any], at: datetime) -> int:
    """Store an event of the transaction's brand, and notify the observers of `events_emitted`.

    Returns the event's sequence, which rises by one per brand. Transactions that emit at the same time wait for this
    one to end: emit as late as you can.
    """
    event_id = uuid.uuid4()
    created = at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    event = {"eventName": kind, "id": str(event_id), "created": created, **body}
    sequence = await store.insert_event(tx, event_id, kind, event, at)
    await events_emitted.notify(tx, [Emitted(sequence, kind, at)])
    return sequence


async def sequences_of_site(tx: Transaction, site_ref: int) -> list[int]:
    """The sequences of the events about a site."""
    return await store.sequences_of_site(tx, site_ref)


async def erase_site(tx: Transaction, site_ref: int) -> None:
    """Events about the site keep their order and refs, for pending deliveries; the site's names are erased."""
    await store.erase_site(tx, site_ref)
