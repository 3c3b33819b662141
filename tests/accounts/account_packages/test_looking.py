"""The clock's look for what is due costs the same however many packages there are that are not."""

import json
from datetime import timedelta

from tests.support.many_packages import make_packages
from tests.support.packages import EURO_PRO
from tests.support.users import OwnerConnection

MOST_PAGES = 100
MANY = 20_000
UNTIL_PLANNED_FOR_ANY_TIME = 7
LOOK = "explain (analyze, buffers, format json) select brands_with_due_packages(now())"


async def test_a_look_reads_a_few_pages_among_many_packages(clean: None, owner_connection: OwnerConnection) -> None:
    month = timedelta(days=30)
    await make_packages(
        owner_connection, MANY, brand_ref=2, package_ref=EURO_PRO, called="u", is_trial=False, age=month, due_in=month
    )
    await owner_connection.execute("analyze users, account_packages")
    for _ in range(UNTIL_PLANNED_FOR_ANY_TIME):
        [told] = json.loads(await owner_connection.fetchval(LOOK))
    assert told["Plan"]["Actual Rows"] == 0
    assert told["Plan"]["Shared Hit Blocks"] + told["Plan"]["Shared Read Blocks"] < MOST_PAGES
