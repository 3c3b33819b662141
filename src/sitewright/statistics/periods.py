"""A range of days, and the one before it that it is compared with."""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Literal
from zoneinfo import ZoneInfo

import msgspec

from sitewright.kit.problems import FieldErrors
from sitewright.kit.validation import field_code

MAX_DAYS = 1100
DEFAULT_DAYS = 30
EARLIEST = date(1970, 1, 1)
FORMAT = "must be a day as YYYY-MM-DD"
_WRITTEN = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DAY, _WEEK = timedelta(days=1), timedelta(days=7)


class Period(msgspec.Struct, frozen=True):
    """Both ends inclusive, in the brand's time zone."""

    first: date
    last: date
    time_zone: str

    @property
    def previous(self) -> "Period":
        """As many days, directly before."""
        length = self.last - self.first + _DAY
        return Period(self.first - length, self.first - _DAY, self.time_zone)

    @property
    def since(self) -> datetime:
        return self._midnight(self.first)

    @property
    def until(self) -> datetime:
        """The end of the last day, exclusive."""
        return self._midnight(self.last + _DAY)

    def days(self) -> Iterator[date]:
        return (self.first + number * _DAY for number in range((self.last - self.first).days + 1))

    def weeks(self) -> Iterator["Period"]:
        """Every week with a day of the period, from Monday to Sunday."""
        monday = self.first - self.first.weekday() * _DAY
        while monday <= self.last:
            yield Period(monday, monday + 6 * _DAY, self.time_zone)
            monday += _WEEK

    def _midnight(self, day: date) -> datetime:
        return datetime.combine(day, time(), ZoneInfo(self.time_zone)).astimezone(UTC)


class DayError(msgspec.Struct, frozen=True):
    """Why a day cannot be asked for: a kind, for pages that say it in their own words, and a text for the API."""

    field: Literal["from", "to"]
    kind: Literal["malformed", "outOfRange", "reversed", "tooLong"]
    text: str


def period_of(first: str | None, last: str | None, today: date, time_zone: str) -> Period:
    """By default the last 30 days. Days after today are left out. Raises ValueError if a day is malformed."""
    until = today if last is None else min(parse_day(last), today)
    since = max(EARLIEST, until - (DEFAULT_DAYS - 1) * _DAY) if first is None else parse_day(first)
    return Period(since, until, time_zone)


def check_days(read: dict[str, Any], today: date) -> FieldErrors:
    """The errors of `from` and `to`."""
    found = find_day_errors(read.get("first"), read.get("last"), today)
    return {each.field: {field_code(each.field): each.text} for each in found}


def find_day_errors(first: str | None, last: str | None, today: date) -> list[DayError]:
    """What is wrong with the days that somebody asks for."""
    asked: dict[Literal["from", "to"], str | None] = {"from": first, "to": last}
    malformed = [DayError(name, "malformed", FORMAT) for name, day in asked.items() if not _is_day_or_none(day)]
    return malformed or _range_errors(period_of(first, last, today, "UTC"), today)


def _range_errors(period: Period, today: date) -> list[DayError]:
    if not EARLIEST <= period.first <= today:
        return [DayError("from", "outOfRange", f"must be between {EARLIEST} and today, {today}")]
    if period.first > period.last:
        return [DayError("to", "reversed", "must not be before `from`")]
    if (period.last - period.first).days >= MAX_DAYS:
        return [DayError("from", "tooLong", f"must be less than {MAX_DAYS} days before `to`")]
    return []


def _is_day_or_none(text: str | None) -> bool:
    try:
        _ = None if text is None else parse_day(text)
    except ValueError:
        return False
    return True


def parse_day(text: str) -> date:
    if _WRITTEN.fullmatch(text) is None:
        raise ValueError(FORMAT)
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(FORMAT) from None
