"""A range of days, and the one before it that it is compared with."""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
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


def period_of(first: str | None, last: str | None, today: date, time_zone: str) -> Period:
    """By default the last 30 days. Days after today are left out. Raises ValueError if a day is malformed."""
    until = today if last is None else min(parse_day(last), today)
    since = max(EARLIEST, until - (DEFAULT_DAYS - 1) * _DAY) if first is None else parse_day(first)
    return Period(since, until, time_zone)


def check_days(read: dict[str, Any], today: date) -> FieldErrors:
    """The errors of `from` and `to`."""
    errors: FieldErrors = {}
    for attribute, name in (("first", "from"), ("last", "to")):
        try:
            _ = None if read.get(attribute) is None else parse_day(read[attribute])
        except ValueError as error:
            errors[name] = {field_code(name): str(error)}
    return errors or _check_range(period_of(read.get("first"), read.get("last"), today, "UTC"), today)


def _check_range(period: Period, today: date) -> FieldErrors:
    if not EARLIEST <= period.first <= today:
        return {"from": {field_code("from"): f"must be between {EARLIEST} and today, {today}"}}
    if period.first > period.last:
        return {"to": {field_code("to"): "must not be before `from`"}}
    if (period.last - period.first).days >= MAX_DAYS:
        return {"from": {field_code("from"): f"must be less than {MAX_DAYS} days before `to`"}}
    return {}


def parse_day(text: str) -> date:
    if _WRITTEN.fullmatch(text) is None:
        raise ValueError(FORMAT)
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(FORMAT) from None
