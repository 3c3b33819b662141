"""Where a clock is moved to: the rules of `to` and `by`."""

import re
from datetime import datetime, timedelta

from msgspec import UNSET

from sitewright.accounts.account_packages.service import months_after
from sitewright.accounts.clocks.schemas import Advance
from sitewright.kit.dates import from_instant
from sitewright.kit.problems import Invalid
from sitewright.kit.timestamps import iso_utc
from sitewright.kit.validation import field_code

MAX_MONTHS = 24
_DURATION = re.compile(
    r"P(?=[0-9T])(?:(?P<years>[0-9]{1,9})Y)?(?:(?P<months>[0-9]{1,9})M)?(?:(?P<weeks>[0-9]{1,9})W)?"
    r"(?:(?P<days>[0-9]{1,9})D)?"
    r"(?:T(?=[0-9])(?:(?P<hours>[0-9]{1,9})H)?(?:(?P<minutes>[0-9]{1,9})M)?(?:(?P<seconds>[0-9]{1,9})S)?)?"
)


def target_of(advance: Advance, since: datetime, zone: str) -> datetime:
    """The time to move to from `since`, in the brand's time zone. Raises `Invalid`."""
    if (advance.to is UNSET) == (advance.by is UNSET):
        raise _invalid("to" if advance.to is UNSET else "by", 'send one of "to" and "by"')
    field, target = _time(advance.to, zone) if advance.to is not UNSET else _later(advance.by, since, zone)
    if target <= since:
        raise _invalid(field, f"must be after the brand's time, {iso_utc(since)}: the clock moves forwards only")
    latest = months_after(since, MAX_MONTHS, zone)
    if target > latest:
        raise _invalid(
            field, f"must be at most two years ahead, until {iso_utc(latest)}; repeat the call to go further"
        )
    return target


def _time(text: object, zone: str) -> tuple[str, datetime]:
    try:
        return "to", from_instant(str(text), zone)
    except ValueError:
        raise _invalid("to", "must be a time in ISO 8601, like 2027-01-31T00:00:00Z") from None


def _later(text: object, since: datetime, zone: str) -> tuple[str, datetime]:
    """Years and months by the calendar of the zone, as periods of packages; a day is 24 hours, as in trials."""
    found = _DURATION.fullmatch(str(text))
    if found is None:
        raise _invalid("by", "must be an ISO 8601 duration of whole numbers, like P1M, P14D or PT36H")
    numbers = {name: int(number or 0) for name, number in found.groupdict().items()}
    months = 12 * numbers.pop("years") + numbers.pop("months")
    try:
        return "by", months_after(since, min(months, MAX_MONTHS + 1), zone) + timedelta(**numbers)
    except OverflowError:
        return "by", datetime.max.replace(tzinfo=since.tzinfo)


def _invalid(field: str, message: str) -> Invalid:
    return Invalid.fields({field: {field_code(field): message}})
