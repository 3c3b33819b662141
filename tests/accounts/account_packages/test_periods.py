"""Ends of periods: none early, none late, none twice, in every zone that changes its clocks."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo, available_timezones

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitewright.accounts.account_packages.lifecycle import Held, renew
from sitewright.accounts.account_packages.periods import months_after, reminder_of, trial_end
from sitewright.accounts.account_packages.pricing import Price
from tests.support.depth import cases


def changes_its_clocks(zone: str) -> bool:
    offsets = {datetime(2026, month, 15, tzinfo=ZoneInfo(zone)).utcoffset() for month in range(1, 13)}
    return len(offsets) > 1


ZONES = sorted(zone for zone in available_timezones() if changes_its_clocks(zone))
DAYS = st.datetimes(datetime(2024, 1, 1), datetime(2034, 12, 31))  # noqa: DTZ001 - local times
LAST_DAYS = st.builds(
    datetime.combine,
    st.sampled_from([date(year, month, 31 if month == 1 else 29) for year in (2024, 2028, 2032) for month in (1, 2)]),
    st.times(),
)
STARTS = st.one_of(DAYS, LAST_DAYS)
PRICE = Price(Decimal(10), 1, 1)


def local(at: datetime, zone: str) -> datetime:
    return at.astimezone(ZoneInfo(zone))


def test_there_are_zones_to_try() -> None:
    assert {"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca"} <= set(ZONES)


@given(STARTS, st.integers(1, 120), st.sampled_from(ZONES))
@cases(1000, 10_000)
def test_a_period_ends_on_the_same_day_so_many_months_later(start: datetime, months: int, zone: str) -> None:
    began = start.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    before, after = local(began, zone), local(months_after(began, months, zone), zone)
    assert (after.year * 12 + after.month) - (before.year * 12 + before.month) == months
    the_day_after = local(months_after(began, months, zone) + timedelta(days=1), zone)
    is_last_of_month = the_day_after.month != after.month
    assert after.day == before.day or (after.day < before.day and is_last_of_month)
    moved_by = after.replace(tzinfo=None) - datetime.combine(after.date(), before.time())
    assert moved_by == timedelta(0) or is_skipped(datetime.combine(after.date(), before.time()), zone)
    assert timedelta(0) <= moved_by <= timedelta(hours=2)


def is_skipped(wall: datetime, zone: str) -> bool:
    """Whether the clocks jump over this local time."""
    there = wall.replace(tzinfo=ZoneInfo(zone))
    return there.astimezone(UTC).astimezone(ZoneInfo(zone)).replace(tzinfo=None) != wall


@given(STARTS, st.integers(1, 120), st.sampled_from(ZONES))
@cases(1000, 10_000)
def test_renewals_follow_each_other_without_gap_or_overlap(start: datetime, months: int, zone: str) -> None:
    began = start.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    held = Held(
        ref=1,
        user_ref=1,
        package_ref=1,
        name="Pro",
        is_subscription=True,
        is_trial=False,
        price=Price(Decimal(10), 1, months),
        is_default=False,
        delete_on_expiry=False,
        started_at=began,
        periods=1,
        due_at=months_after(began, months, zone),
    )
    ends = [began, months_after(began, months, zone)]
    for period in range(2, 6):
        renewal = renew(held, PRICE, zone)
        assert (renewal.at, renewal.charge and renewal.charge.period_starts_at) == (held.due_at, held.due_at)
        ends.append(months_after(began, months * period, zone))
        assert renewal.renewed_until == ends[-1]
        held = msgspec.structs.replace(held, periods=period, due_at=renewal.renewed_until)
    assert ends == sorted(set(ends))


@pytest.mark.parametrize(
    ("start", "months", "ends"),
    [
        ("2026-01-31", 1, "2026-02-28"),
        ("2024-01-31", 1, "2024-02-29"),
        ("2026-01-31", 2, "2026-03-31"),
        ("2026-01-31", 3, "2026-04-30"),
        ("2024-02-29", 12, "2025-02-28"),
        ("2024-02-29", 48, "2028-02-29"),
        ("2026-11-15", 1200, "2126-11-15"),
        ("2026-12-31", 1, "2027-01-31"),
    ],
)
def test_days_that_a_month_lacks(start: str, months: int, ends: str) -> None:
    began = datetime.fromisoformat(f"{start}T12:00:00+00:00")
    assert f"{months_after(began, months, 'UTC'):%Y-%m-%d %H:%M}" == f"{ends} 12:00"


@pytest.mark.parametrize(
    ("start", "ends"),
    [
        ("2026-02-28T23:30:00+00:00", "2026-03-31T22:30:00+00:00"),  # 1 March in Berlin, and 1 April
        ("2026-02-28T01:30:00+01:00", "2026-03-28T01:30:00+01:00"),
        ("2026-02-28T22:30:00+00:00", "2026-03-28T22:30:00+00:00"),
        ("2026-02-28T02:30:00+01:00", "2026-03-28T02:30:00+01:00"),
        ("2027-02-28T02:30:00+01:00", "2027-03-28T03:30:00+02:00"),  # 02:30 is skipped on that day
        ("2026-09-25T02:30:00+02:00", "2026-10-25T02:30:00+02:00"),  # 02:30 happens twice: the first of them
    ],
)
def test_the_day_is_the_brands(start: str, ends: str) -> None:
    assert months_after(datetime.fromisoformat(start), 1, "Europe/Berlin") == datetime.fromisoformat(ends)


@given(STARTS, st.integers(1, 3650))
@cases(200, 2000)
def test_a_trial_lasts_so_many_times_24_hours(start: datetime, days: int) -> None:
    began = start.replace(tzinfo=UTC)
    end = trial_end(began, days)
    assert end - began == timedelta(hours=24 * days)
    assert reminder_of(began, end) == (end - timedelta(days=3) if days > 3 else None)
