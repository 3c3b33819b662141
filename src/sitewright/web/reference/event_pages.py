"""What the page of each event shows: its fields and an example, from the types that the features declare."""

import json
from collections.abc import Mapping
from functools import cached_property

import msgspec

from sitewright.events.kinds import EventKind
from sitewright.kit.http.openapi.schemas import Schemas
from sitewright.web.reference.fields import FieldRow, field_rows
from sitewright.webhooks.schemas import EventDocument

LAST = ("testMode", "sequence")


class EventView(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    summary: str
    group: str
    rows: list[FieldRow]
    example: str

    @property
    def href(self) -> str:
        return f"/docs/events/{self.name}"


class EventViews:
    def __init__(self, kinds: Mapping[str, EventKind]) -> None:
        self._kinds = kinds

    @cached_property
    def views(self) -> dict[str, EventView]:
        return {name: self._view(kind) for name, kind in self._kinds.items()}

    @cached_property
    def _schemas(self) -> Schemas:
        return Schemas([EventDocument, *(kind.body for kind in self._kinds.values())])

    def _view(self, kind: EventKind) -> EventView:
        common, own = (self._schemas.of(each) for each in (EventDocument, kind.body))
        shared = list(field_rows(common, self._schemas.components))
        rows = list(field_rows(own, self._schemas.components))
        envelope = self._schemas.example(common) | {"eventName": kind.name}
        last = {name: envelope.pop(name) for name in LAST}
        return EventView(
            name=kind.name,
            summary=kind.summary,
            group=f"{kind.name.partition('.')[0]}.*",
            rows=[row for row in shared if row.name not in LAST] + rows + [row for row in shared if row.name in LAST],
            example=json.dumps(envelope | self._schemas.example(own) | last, indent=2, ensure_ascii=False),
        )
