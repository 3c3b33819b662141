"""When periods and trials end.

A paid period ends on the same day of the month, so many months after its package started, at the same local time of the
brand's zone; a month without that day has its last day instead. Every end is counted from the start of the package, so
that 31 January is followed by 28 February and then by 31 March. A local time skipped by a
daylight-saving change is moved forward by the length of the gap; of an ambiguous local time the first instant is used.
"""

import calendar
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

REMINDER = timedelta(days=3)


def months_after(start: datetime, months: int, zone: str) -> datetime:
    local = start.astimezone(ZoneInfo(zone))
    years, month = divmod(local.month - 1 + months, 12)
    year = local.year + years
    day = min(local.day, calendar.monthrange(year, month + 1)[1])
    return local.replace(year=year, month=month + 1, day=day, fold=0).astimezone(UTC)


def trial_end(start: datetime, trial_days: int) -> datetime:
    return start + timedelta(days=trial_days)


def reminder_of(start: datetime, end: datetime) -> datetime | None:
    """Three days before a trial's end, for trials that last longer."""
    return end - REMINDER if end - start > REMINDER else None
