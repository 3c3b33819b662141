import uuid
from datetime import UTC, datetime
from typing import Any

from sitewright.events import store
from sitewright.kit.db import Transaction


async def emit(tx: Transaction, kind: str, body: dict[str, Any], at: datetime) -> int:
    """Tell of something that happens in the transaction's brand; what is told is what is true now.

    Answers the event's sequence, which rises by one per brand. Whoever emits at the same time waits until this
    transaction ends: emit as late as you can.
    """
    event_id = uuid.uuid4()
    created = at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    told = {"eventName": kind, "id": str(event_id), "created": created, **body}
    return await store.insert_event(tx, event_id, kind, told, at)


async def forget_site(tx: Transaction, site_ref: int) -> None:
    """Events that tell of it stay, without its names."""
    await store.forget_site(tx, site_ref)
