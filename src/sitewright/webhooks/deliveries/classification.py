"""Classifies responses: delivered, retrying after a back-off, dead letter, or gone (the receiver's 410)."""

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Literal

import msgspec

from sitewright.webhooks.deliveries.responses import Response

Outcome = Literal["delivered", "retrying", "dead", "gone"]
JITTER = 0.1
MAX_RETRY_AFTER = timedelta(hours=24)
GONE = 410


class Result(msgspec.Struct, frozen=True):
    outcome: Outcome
    next_attempt_after: timedelta | None = None


def classify(response: Response, attempts_before: int, retry_seconds: Sequence[int], at: datetime) -> Result:
    """`at` is when the response arrived, in real time, because `Retry-After` may be a date."""
    if response.status is not None and 200 <= response.status < 300:
        return Result("delivered")
    if response.status == GONE:
        return Result("gone")
    if attempts_before >= len(retry_seconds):
        return Result("dead")
    wait = max(timedelta(seconds=retry_seconds[attempts_before]), _requested_delay(response.retry_after, at))
    return Result("retrying", wait * (1 + JITTER * random.random()))  # noqa: S311 - jitter needs no secure randomness


def _requested_delay(retry_after: str | None, at: datetime) -> timedelta:
    """The delay of a `Retry-After` header, in seconds or as a date; anything else is ignored."""
    text = (retry_after or "").strip()
    if text.isascii() and text.isdigit():
        return min(timedelta(seconds=int(text[:9])), MAX_RETRY_AFTER)
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return timedelta()
    moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return min(max(moment - at, timedelta()), MAX_RETRY_AFTER)
