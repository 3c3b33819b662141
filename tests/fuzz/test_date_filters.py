"""`dateFrom` and `dateTo`: any text is an instant, or is rejected by the parser's own error."""

from datetime import UTC, datetime
from zoneinfo import available_timezones

from hypothesis import given
from hypothesis import strategies as st

from sitewright.kit.dates import FORMAT, check_dates, from_instant, until_instant
from tests.support.fuzzing import fuzzed

ZONES = st.sampled_from(sorted(available_timezones() - {"localtime"}))
DIGITS = st.sampled_from(["0", "1", "2", "9", "00", "01", "12", "13", "23", "24", "29", "30", "31", "59", "60", "99"])
PIECES = st.lists(
    DIGITS
    | st.sampled_from(["-", ":", "T", " ", ".", ",", "Z", "+", "W", "0001", "9999", "2026", "२", "\0", "\ud800"]),
    max_size=14,
).map("".join)
WRITTEN = st.builds(
    "{:04}-{:02}-{:02}{}{:02}:{:02}:{:02}{}{}".format,
    st.sampled_from([0, 1, 1582, 1970, 2024, 2026, 9999]) | st.integers(0, 9999),
    st.integers(0, 13),
    st.integers(0, 32),
    st.sampled_from(["T", " ", "t", ""]),
    st.integers(0, 25),
    st.integers(0, 61),
    st.integers(0, 61),
    st.sampled_from(["", ".5", ",5", ".999999", ".1234567"]),
    st.sampled_from(["", "Z", "+00:00", "-12:00", "+1400", "+24:00", "-99:99", "z"]),
)
TEXTS = WRITTEN | PIECES | st.datetimes().map(str) | st.dates().map(str) | st.text(max_size=30)


@fuzzed(300, share=0.7)
@given(TEXTS, ZONES)
def test_any_text_is_an_instant_or_none(text: str, zone: str) -> None:
    try:
        first, end = from_instant(text, zone), until_instant(text, zone)
    except ValueError as error:
        assert str(error) == FORMAT
        return
    assert first.tzinfo is end.tzinfo is UTC
    assert first <= end
    datetime.fromisoformat(text)


@fuzzed(100, share=0.1)
@given(TEXTS, TEXTS, ZONES)
def test_each_error_is_reported(date_from: str, date_to: str, zone: str) -> None:
    errors = check_dates({"date_from": date_from, "date_to": date_to}, zone)
    assert errors == check_dates({"date_from": date_from}, zone) | check_dates({"date_to": date_to}, zone)
