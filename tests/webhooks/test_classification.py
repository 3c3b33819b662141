"""How responses are classified, and when the next attempt follows."""

from datetime import UTC, datetime, timedelta

import pytest

from sitewright.settings import Settings
from sitewright.webhooks.deliveries.classification import classify
from sitewright.webhooks.deliveries.responses import Response

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
RETRIES = Settings().webhook_retry_seconds


def wait(status: int | None = 500, retry_after: str | None = None, attempts: int = 0) -> float:
    response = Response(milliseconds=1, status=status, retry_after=retry_after)
    result = classify(response, attempts, RETRIES, NOW)
    assert result.outcome == "retrying"
    assert result.next_attempt_after is not None
    return result.next_attempt_after.total_seconds()


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (200, "delivered"), (201, "delivered"), (204, "delivered"), (299, "delivered"), (199, "retrying"),
        (300, "retrying"), (301, "retrying"), (304, "retrying"), (400, "retrying"), (404, "retrying"), (410, "gone"),
        (429, "retrying"), (500, "retrying"), (None, "retrying"),
    ],
)  # fmt: skip
def test_only_a_2xx_is_a_success(status: int | None, outcome: str) -> None:
    assert classify(Response(milliseconds=1, status=status), 0, RETRIES, NOW).outcome == outcome


def test_retries_follow_the_schedule_and_end_as_a_dead_letter() -> None:
    for attempts, seconds in enumerate([5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400]):
        assert seconds <= wait(attempts=attempts) <= seconds * 1.1
    assert classify(Response(milliseconds=1, status=500), 9, RETRIES, NOW).outcome == "dead"


def test_the_back_off_has_jitter() -> None:
    assert len({wait(attempts=3) for _ in range(20)}) > 10


@pytest.mark.parametrize(
    ("retry_after", "seconds"),
    [
        ("60", 60), ("1", 5), ("0", 5), (" 7200 ", 7200), ("999999999999999", 86400), ("86401", 86400),
        ("Sat, 31 Jan 2026 13:00:00 GMT", 3600), ("Sat, 31 Jan 2026 11:00:00 GMT", 5),
        ("Sat, 31 Jan 2099 13:00:00 GMT", 86400), ("Saturday, 31-Jan-26 13:00:00 GMT", 3600),
        ("soon", 5), ("", 5), ("-5", 5), ("1.5", 5), ("٣٠", 5), ("Sat, 99 Foo 2026 13:00:00 GMT", 5),
    ],
)  # fmt: skip
def test_retry_after_is_honored(retry_after: str, seconds: int) -> None:
    assert seconds <= wait(503, retry_after) <= seconds * 1.1


def test_retry_after_without_a_zone_is_utc() -> None:
    assert timedelta(hours=1).total_seconds() <= wait(429, "Sat, 31 Jan 2026 13:00:00") <= 3960
