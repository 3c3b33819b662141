"""When a call is tried again, and after how long."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from sitewright_client.response import Response

_STATUSES = frozenset({408, 429, 502, 503, 504})


@dataclass(frozen=True, kw_only=True)
class Retries:
    """Exponential back-off with full jitter. `Retry-After` is honored: the wait is never shorter than it says."""

    attempts: int | None = 5
    """All attempts of one call, the first included; None for no limit."""
    first_wait: float = 0.5
    longest_wait: float = 30.0
    longest_retry_after: float = 120.0
    """A response that asks for a longer wait is an error at once."""

    def wait_after_response(self, response: Response[object], attempt: int) -> float | None:
        """Seconds until the next attempt; None if there is none."""
        if not self._may_retry(attempt) or not _is_temporary(response):
            return None
        required = retry_after(response.headers)
        if required is None:
            return self._back_off(attempt)
        return required + self._jitter() if required <= self.longest_retry_after else None

    def wait_after_failure(self, attempt: int) -> float | None:
        """After a connection that failed, or a response that did not arrive."""
        return self._back_off(attempt) if self._may_retry(attempt) else None

    def _may_retry(self, attempt: int) -> bool:
        return self.attempts is None or attempt < self.attempts

    def _back_off(self, attempt: int) -> float:
        ceiling = self.first_wait * 2 ** min(attempt - 1, 30)
        return random.uniform(0, min(ceiling, self.longest_wait))  # noqa: S311 - spreads load, protects nothing

    def _jitter(self) -> float:
        return random.uniform(0, self.first_wait)  # noqa: S311 - spreads load, protects nothing


def _is_temporary(response: Response[object]) -> bool:
    if response.status in _STATUSES:
        return True
    return response.status == 409 and b'"idempotencyInProgress"' in response.content


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds, from either form of the header."""
    text = headers.get("retry-after", "").strip()
    if text.isdecimal():
        return float(text)
    try:
        return max(0.0, (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None
