"""The meaning of dateFrom and dateTo, compared with the local times of every time zone."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitewright.kit.dates import from_instant, until_instant
from tests.support.fuzzing import fuzzed

ZONES = sorted(available_timezones() - {"localtime"})
SECOND, TICK = timedelta(seconds=1), timedelta.resolution
MOMENTS = st.datetimes(min_value=datetime(1950, 1, 1), max_value=datetime(2040, 1, 1))  # noqa: DTZ001 - local


def shown(instant: datetime, zone: str) -> datetime:
    return instant.astimezone(ZoneInfo(zone)).replace(tzinfo=None)


@fuzzed(300, share=0.1)
@given(st.sampled_from(ZONES), MOMENTS)
def test_a_time_includes_local_times_from_it_or_up_to_it(zone: str, local: datetime) -> None:
    local = local.replace(microsecond=0)
    first, end = from_instant(f"{local}", zone), until_instant(f"{local}", zone)
    assert shown(first, zone) >= local > shown(first - TICK, zone) - timedelta(hours=24)
    assert first <= end
    if shown(first, zone) == local:
        assert shown(end - TICK, zone) == local + SECOND - TICK
    else:
        assert (first, shown(first - SECOND, zone) < local) == (end, True)


@fuzzed(300, share=0.1)
@given(st.sampled_from(ZONES), MOMENTS)
def test_a_day_follows_the_day_before_without_gap_or_overlap(zone: str, local: datetime) -> None:
    day, following = local.date(), local.date() + timedelta(days=1)
    end = until_instant(f"{day}", zone)
    assert end == from_instant(f"{following}", zone)
    assert shown(end, zone).date() >= following


@pytest.mark.parametrize(
    ("zone", "text", "first", "end"),
    [
        ("Africa/Cairo", "2026-04-24", "2026-04-23T22:00", "2026-04-24T21:00"),  # begins at 01:00
        ("America/Santiago", "2026-09-06", "2026-09-06T04:00", "2026-09-07T03:00"),
        ("America/Havana", "2026-11-01", "2026-11-01T04:00", "2026-11-02T05:00"),  # has midnight twice
        ("Pacific/Apia", "2011-12-30", "2011-12-30T10:00", "2011-12-30T10:00"),  # was left out
        ("Australia/Lord_Howe", "2026-04-05", "2026-04-04T13:00", "2026-04-05T13:30"),  # half an hour longer
        ("Asia/Kathmandu", "2026-01-31", "2026-01-30T18:15", "2026-01-31T18:15"),
    ],
)
def test_days_with_clock_changes(zone: str, text: str, first: str, end: str) -> None:
    instants = [datetime.fromisoformat(each).replace(tzinfo=UTC) for each in (first, end)]
    assert [from_instant(text, zone), until_instant(text, zone)] == instants


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Etc/GMT+12", "UTC"])
def test_the_first_and_last_dates_are_accepted(zone: str) -> None:
    for text in ("0001-01-01", "9999-12-31", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"):
        assert from_instant(text, zone) <= until_instant(text, zone)
