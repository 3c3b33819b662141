"""Which brand's statistics the cached plans of a connection were made with (decision 0189).

PostgreSQL plans a prepared statement for the brand that is current, and uses that plan for all brands: one made for a
brand without rows may read every row of a large brand, for each of its rows. Therefore one brand owns the cached plans
of a connection, and the statements of others are planned each time. A brand whose transactions take longer than those
of all others together takes the connection over.
"""

from weakref import WeakKeyDictionary

import msgspec

from sitewright.kit.pool import Connection

FIRST_SECONDS, MOST_SECONDS = 0.2, 1.0
"""How much longer the transactions of other brands must take: after a brand became the owner, and at most."""
PLAN_EACH_TIME = "SET LOCAL plan_cache_mode = force_custom_plan"
DISCARD_PLANS = "DISCARD PLANS"


class _Owner(msgspec.Struct):
    brand_ref: int
    lead: float = FIRST_SECONDS
    """By how many seconds its transactions took longer than those of others."""
    has_former_plans: bool = False


class PlanOwners:
    """Finds the brand of most work on each connection by majority vote."""

    def __init__(self) -> None:
        self._owners: WeakKeyDictionary[Connection, _Owner] = WeakKeyDictionary()

    def begin(self, connection: Connection, brand_ref: int) -> list[str]:
        """What begins a transaction of the brand, by round trip.

        Plans are discarded before it, and rarely: in it, the statement would take the transaction's snapshot, and keep
        the isolation level from being set.
        """
        begin = "BEGIN; SET LOCAL sitewright.brand_ref = '%d'" % brand_ref  # noqa: UP031 - only an integer
        owner = self._owners.setdefault(connection, _Owner(brand_ref))
        if owner.brand_ref != brand_ref:
            return [f"{begin}; {PLAN_EACH_TIME}"]
        return [DISCARD_PLANS, begin] if owner.has_former_plans else [begin]

    def end(self, connection: Connection, brand_ref: int, seconds: float) -> None:
        """After a transaction that took so long."""
        owner = self._owners[connection]
        if owner.brand_ref == brand_ref:
            owner.has_former_plans = False
            owner.lead = min(owner.lead + seconds, MOST_SECONDS)
        elif owner.lead > seconds:
            owner.lead -= seconds
        else:
            self._owners[connection] = _Owner(brand_ref, has_former_plans=True)
