"""Parses `dateFrom` and `dateTo` into instants, in the brand's time zone.

Both are inclusive: a date alone means the whole day, a time its whole second. A local time that occurs twice (daylight
saving) includes both; one that is skipped means the instant of the change.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from sitewright.kit.problems import FieldErrors
from sitewright.kit.validation import field_code

FORMAT = "must be YYYY-MM-DD, YYYY-MM-DD HH:MM:SS or ISO 8601; + is written %2B in a query"
_DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = "[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?P<fraction>[.,][0-9]{1,6})?)?"
_WRITTEN = re.compile(rf"{_DATE}(?P<time>[T ]{_TIME}(?:Z|[+-][0-9]{{2}}:?[0-9]{{2}})?)?")
_SECOND, _DAY = timedelta(seconds=1), timedelta(days=1)
_EARLIEST, _LATEST = datetime(1, 1, 3), datetime(9999, 12, 28)  # noqa: DTZ001 - local: far enough for every zone


def from_instant(text: str, zone: str) -> datetime:
    """The first instant that `dateFrom` includes. Raises ValueError if it is malformed."""
    at, _ = _read(text)
    return at.astimezone(UTC) if at.tzinfo is not None else _first_occurrence(at, ZoneInfo(zone))


def until_instant(text: str, zone: str) -> datetime:
    """The first instant after those that `dateTo` includes. Raises ValueError if it is malformed."""
    at, precision = _read(text)
    if precision == _DAY:
        return _first_occurrence(at + _DAY, ZoneInfo(zone))
    if at.tzinfo is not None:
        return at.astimezone(UTC) + precision
    return _end_of_last_occurrence(at, ZoneInfo(zone), precision)


def check_dates(read: dict[str, Any], zone: str) -> FieldErrors:
    """The errors of `dateFrom` and `dateTo` of a request."""
    errors: FieldErrors = {}
    for name, text, instant in (
        ("dateFrom", read.get("date_from"), from_instant),
        ("dateTo", read.get("date_to"), until_instant),
    ):
        try:
            _ = None if text is None else instant(text, zone)
        except ValueError as error:
            errors[name] = {field_code(name): str(error)}
    return errors


def _read(text: str) -> tuple[datetime, timedelta]:
    """The parsed time and its precision: a day, a second or less."""
    written = _WRITTEN.fullmatch(text)
    if written is None:
        raise ValueError(FORMAT)
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(FORMAT) from None
    at = min(max(at.replace(tzinfo=None), _EARLIEST), _LATEST).replace(tzinfo=at.tzinfo)
    precision = _DAY if written["time"] is None else _SECOND if written["fraction"] is None else timedelta.resolution
    return at, precision


def _first_occurrence(local: datetime, zone: ZoneInfo) -> datetime:
    instant = local.replace(tzinfo=zone).astimezone(UTC)
    return instant if _local_time(instant, zone) == local else _skip(local, zone)


def _end_of_last_occurrence(local: datetime, zone: ZoneInfo, precision: timedelta) -> datetime:
    instant = local.replace(tzinfo=zone, fold=1).astimezone(UTC)
    return instant + precision if _local_time(instant, zone) == local else _skip(local, zone)


def _skip(local: datetime, zone: ZoneInfo) -> datetime:
    """The instant at which the zone's clocks skip `local`."""
    before, after = (local.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (1, 0))
    while after - before > _SECOND:
        between = (before + (after - before) / 2).replace(microsecond=0)
        before, after = (before, between) if _local_time(between, zone) > local else (between, after)
    return after.replace(microsecond=0)


def _local_time(instant: datetime, zone: ZoneInfo) -> datetime:
    return instant.astimezone(zone).replace(tzinfo=None)
