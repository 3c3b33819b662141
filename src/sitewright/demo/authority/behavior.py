"""How the authority behaves: its policy, and the failures that tests request."""

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType

import msgspec

from sitewright.demo.authority.objects import Issued
from sitewright.demo.authority.problems import AcmeProblem
from sitewright.kit import clock

NINETY_DAYS = timedelta(days=90)
PROFILES = MappingProxyType(
    {"classic": NINETY_DAYS, "tlsserver": timedelta(days=45), "shortlived": timedelta(hours=160)}
)


def last_third(issued: Issued) -> tuple[datetime, datetime]:
    """The usual renewal window: it begins when two thirds of the lifetime are over, and takes a twelfth of it."""
    lifetime = issued.not_after - issued.not_before
    start = issued.not_before + lifetime * 2 / 3
    return start, start + lifetime / 12


class Limits(msgspec.Struct, frozen=True):
    """Rate limits as public authorities have them; renewals that name what they replace are exempt from the first."""

    orders_per_3_hours: int = 300
    certificates_per_domain_week: int = 50
    failures_per_host_hour: int = 5


class Policy(msgspec.Struct):
    """May be changed while the authority runs, except for the limits."""

    lifetime: timedelta = NINETY_DAYS
    """Of certificates without a profile."""
    profiles: Mapping[str, timedelta] = PROFILES
    """Lifetimes by profile; empty: the authority has no profiles."""
    external_accounts: Mapping[str, str] = {}
    """Keys in base64url by key identifier; where there are any, new accounts need one."""
    limits: Limits | None = None
    has_renewal_info: bool = True
    renewal_window: Callable[[Issued], tuple[datetime, datetime]] = last_third
    renewal_info_seconds: int = 6 * 3600
    """How long clients shall wait before they ask for the window again (`Retry-After`)."""
    reuses_orders: bool = True
    """Whether an order that was not finalized is returned to its account again, as Let's Encrypt does."""
    reuses_authorizations: bool = False
    finalize_seconds: float = 0.0
    """How long an order stays `processing`."""
    now: Callable[[], datetime] = clock.real_now


class Fault(StrEnum):
    BAD_NONCE = "badNonce"
    """A signed request is refused with a new nonce."""
    RATE_LIMITED = "rateLimited"
    """A new order is refused with `Retry-After`."""
    UNAVAILABLE = "unavailable"
    """Any request gets 503."""
    REJECTED = "rejected"
    """A validation fails as `unauthorized`."""
    SERVER_ERROR = "serverInternal"
    """A finalization gets 500."""


class Faults:
    """Failures on demand."""

    def __init__(self) -> None:
        self.is_unavailable = False
        """Every request gets 503 until it is False again."""
        self.rejected_hosts: set[str] = set()
        """Their validations fail."""
        self._left: Counter[Fault] = Counter()
        self._retry_after: dict[Fault, int] = {}

    def fail_next(self, fault: Fault | str, times: int = 1, *, retry_after: int | None = None) -> None:
        """Let the next requests that the fault concerns fail."""
        self._left[Fault(fault)] += times
        if retry_after is not None:
            self._retry_after[Fault(fault)] = retry_after

    def take(self, fault: Fault) -> bool:
        """Whether to fail now."""
        if self._left[fault] <= 0:
            return False
        self._left[fault] -= 1
        return True

    def check_available(self) -> None:
        if self.is_unavailable or self.take(Fault.UNAVAILABLE):
            retry_after = self._retry_after.get(Fault.UNAVAILABLE)
            raise AcmeProblem("serverInternal", "the authority is unavailable", 503, retry_after=retry_after)

    def check_nonce(self) -> None:
        if self.take(Fault.BAD_NONCE):
            raise AcmeProblem("badNonce", "the nonce is refused on demand")

    def check_order(self) -> None:
        if self.take(Fault.RATE_LIMITED):
            retry_after = self._retry_after.get(Fault.RATE_LIMITED, 60)
            raise AcmeProblem("rateLimited", "too many orders, on demand", 429, retry_after=retry_after)

    def check_finalization(self) -> None:
        if self.take(Fault.SERVER_ERROR):
            raise AcmeProblem("serverInternal", "the certificate cannot be issued now", 500)
