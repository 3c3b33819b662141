"""The events that a test caused, each compared with the schema of its kind."""

from typing import Any

import msgspec

from sitewright.app import EVENT_KINDS
from tests.support.sequencing import sequence_events
from tests.support.users import OwnerConnection

ENVELOPE = ("id", "created", "sequence", "testMode")
Named = tuple[str, dict[str, Any]]


async def emitted(owner: OwnerConnection) -> list[Named]:
    """The name and the own fields of every event, in order."""
    await sequence_events(owner)
    rows = await owner.fetch("select kind, body::text from events order by brand_ref, sequence")
    return [(row["kind"], _own_fields(row["kind"], msgspec.json.decode(row["body"]))) for row in rows]


async def emitted_names(owner: OwnerConnection) -> list[str]:
    return [name for name, _ in await emitted(owner)]


def _own_fields(kind: str, body: dict[str, Any]) -> dict[str, Any]:
    assert body.pop("eventName") == kind
    own = {name: value for name, value in body.items() if name not in ENVELOPE}
    assert len(body) - len(own) >= 3, "the envelope is complete"
    as_declared = msgspec.to_builtins(msgspec.convert(own, EVENT_KINDS[kind].body))
    assert as_declared == own, f"{kind} has fields that its schema does not declare"
    return own
