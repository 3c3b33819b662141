"""One claimed group on its way through an attempt."""

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta

from sitewright.domains.certificates.acme.accounts.service import CLOCK_TOLERANCE, Authorities, authorities_of
from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.kit.outbox import Claimed
from sitewright.kit.outbox.outcomes import Outcomes
from sitewright.kit.resources import Resources


class LeaseLost(Exception):
    """Another worker has claimed the group meanwhile, or it is gone."""


@dataclass(frozen=True)
class Work:
    resources: Resources
    item: Claimed
    outcomes: Outcomes

    @property
    def authorities(self) -> Authorities:
        return authorities_of(self.resources)

    def transaction(self) -> AbstractAsyncContextManager[Transaction]:
        """In the group's brand, while the lease does not change."""
        return self.outcomes.holding(self.item)


def corrected_now(clock_skew: timedelta) -> datetime:
    """The time by which certificates are renewed: the authority's, where this machine's clock is plainly wrong."""
    return clock.real_now() - (clock_skew if abs(clock_skew) > CLOCK_TOLERANCE else timedelta())


def due_at(at: datetime, now: datetime) -> datetime:
    """A real time by the service's clock, which demos and tests shift; `now` is the real time."""
    return clock.now() + (at - now)
