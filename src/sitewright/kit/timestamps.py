"""TS: the API's representation of an instant, as local time in the brand's time zone."""

from datetime import UTC, datetime
from typing import Annotated
from zoneinfo import ZoneInfo

import msgspec

from sitewright.kit.http.about import about

AT = {"date": "2026-01-31 12:00:00", "timezone_type": 3, "timezone": "UTC"}
"""An example for the API reference."""


class TS(msgspec.Struct, frozen=True):
    """An instant in the brand's time zone."""

    date: Annotated[str, about("Local date and time.", "2026-01-31 12:00:00")]
    timezone_type: Annotated[int, about("Always 3: the zone has a name.", 3)]
    timezone: Annotated[str, about("The name of the brand's zone.", "UTC")]


def timestamp(at: datetime, zone: str) -> TS:
    return TS(at.astimezone(ZoneInfo(zone)).isoformat(" ", "seconds")[:19], 3, zone)


def iso_utc(at: datetime) -> str:
    """ISO 8601 in UTC, to the second: 2026-01-31T12:00:00Z."""
    return at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def instant_of(ts: TS) -> str:
    """The instant as ISO 8601 with its offset, for scripts that show it in the reader's time zone."""
    return datetime.fromisoformat(ts.date).replace(tzinfo=ZoneInfo(ts.timezone)).isoformat()
