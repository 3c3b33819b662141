"""The authority's rate limits, counted as public authorities count them."""

from collections import defaultdict, deque
from collections.abc import Iterable
from datetime import datetime, timedelta

from sitewright.demo.authority.behavior import Limits
from sitewright.demo.authority.problems import AcmeProblem

THREE_HOURS = timedelta(hours=3)
HOUR = timedelta(hours=1)
WEEK = timedelta(days=7)


class Counted:
    """Times of something within a sliding window, by key."""

    def __init__(self, window: timedelta) -> None:
        self._window = window
        self._times: defaultdict[str, deque[datetime]] = defaultdict(deque)

    def add(self, key: str, now: datetime) -> None:
        self._times[key].append(now)

    def check(self, key: str, limit: int, now: datetime, what: str) -> None:
        times = self._times[key]
        while times and times[0] <= now - self._window:
            times.popleft()
        if len(times) >= limit:
            seconds = int((times[0] + self._window - now).total_seconds()) + 1
            raise AcmeProblem("rateLimited", f"too many {what} of {key}", 429, retry_after=seconds)


class RateLimiter:
    def __init__(self, limits: Limits | None) -> None:
        self._limits = limits
        self._orders = Counted(THREE_HOURS)
        self._certificates = Counted(WEEK)
        self._failures = Counted(HOUR)

    def admit_order(self, account: str, names: Iterable[str], now: datetime, *, is_renewal: bool) -> None:
        """Raises `AcmeProblem` (rateLimited) where the order is one too many; counts it otherwise."""
        if self._limits is None:
            return
        for name in names:
            self._failures.check(_host(name), self._limits.failures_per_host_hour, now, "failed validations")
        if is_renewal:
            return
        self._orders.check(account, self._limits.orders_per_3_hours, now, "orders")
        for domain in _domains(names):
            limit = self._limits.certificates_per_domain_week
            self._certificates.check(domain, limit, now, "certificates")
        self._orders.add(account, now)

    def count_certificate(self, names: Iterable[str], now: datetime, *, is_renewal: bool) -> None:
        for domain in () if is_renewal else _domains(names):
            self._certificates.add(domain, now)

    def count_failure(self, host: str, now: datetime) -> None:
        self._failures.add(host, now)


def _host(name: str) -> str:
    return name.removeprefix("*.")


def _domains(names: Iterable[str]) -> set[str]:
    """The registered domains, taken as the last two labels: tests use no others."""
    return {".".join(_host(name).split(".")[-2:]) for name in names}
