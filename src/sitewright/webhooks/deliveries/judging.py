"""What an answer means for a delivery: done, another attempt and when, or none any more."""

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Literal

import msgspec

from sitewright.webhooks.deliveries.answers import Answer

Outcome = Literal["delivered", "retrying", "dead", "gone"]
JITTER = 0.1
LONGEST_RETRY_AFTER = timedelta(hours=24)
GONE = 410


class Verdict(msgspec.Struct, frozen=True):
    outcome: Outcome
    next_attempt_after: timedelta | None = None


def judge(answer: Answer, attempts_before: int, retry_seconds: Sequence[int], at: datetime) -> Verdict:
    """`at` is when the answer came, in real time: receivers write real dates into `Retry-After`."""
    if answer.status is not None and 200 <= answer.status < 300:
        return Verdict("delivered")
    if answer.status == GONE:
        return Verdict("gone")
    if attempts_before >= len(retry_seconds):
        return Verdict("dead")
    wait = max(timedelta(seconds=retry_seconds[attempts_before]), _asked_for(answer.retry_after, at))
    return Verdict("retrying", wait * (1 + JITTER * random.random()))  # noqa: S311 - nobody gains from guessing it


def _asked_for(retry_after: str | None, at: datetime) -> timedelta:
    """Seconds or a date; nonsense is as good as nothing."""
    text = (retry_after or "").strip()
    if text.isascii() and text.isdigit():
        return min(timedelta(seconds=int(text[:9])), LONGEST_RETRY_AFTER)
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return timedelta()
    moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return min(max(moment - at, timedelta()), LONGEST_RETRY_AFTER)
