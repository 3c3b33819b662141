"""Which brand's statistics the cached plans of a connection were made with (decision 0189).

PostgreSQL plans a prepared statement for the brand that is current, and uses that plan for all brands: one made for a
brand without rows may read every row of a large brand, for each of its rows. Therefore one brand owns the cached plans
of a connection, and the statements of others are planned each time. A brand that uses the connection more than others
takes it over.
"""

from weakref import WeakKeyDictionary

from sitewright.kit.pool import Connection

FIRST_VOTES, MOST_VOTES = 10, 50
"""How many transactions more than the owner another brand needs, soon after it became the owner and at most."""
PLAN_EACH_TIME = "SET LOCAL plan_cache_mode = force_custom_plan"
DISCARD_PLANS = "DISCARD PLANS"


class PlanOwners:
    """Finds the brand with most transactions of each connection by majority vote."""

    def __init__(self) -> None:
        self._votes: WeakKeyDictionary[Connection, tuple[int, int]] = WeakKeyDictionary()

    def begin(self, connection: Connection, brand_ref: int) -> str:
        """The statements that begin a transaction of the brand, in one round trip."""
        statements = ["BEGIN", "SET LOCAL sitewright.brand_ref = '%d'" % brand_ref]  # noqa: UP031 - only an integer
        owner, votes = self._votes.get(connection, (brand_ref, FIRST_VOTES))
        if owner == brand_ref:
            votes = min(votes + 1, MOST_VOTES)
        elif votes > 1:
            votes -= 1
            statements.append(PLAN_EACH_TIME)
        else:
            owner, votes = brand_ref, FIRST_VOTES
            statements.append(DISCARD_PLANS)
        self._votes[connection] = owner, votes
        return "; ".join(statements)
