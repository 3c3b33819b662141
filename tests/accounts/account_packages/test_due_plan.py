"""Finding brands with due packages costs the same however many packages are not due."""

import json
from datetime import timedelta

from tests.support.many_packages import make_packages
from tests.support.packages import EURO_PRO
from tests.support.users import OwnerConnection

MAX_PAGES = 100
MANY = 20_000
EXECUTIONS_UNTIL_GENERIC_PLAN = 7
DUE_BRANDS = "explain (analyze, buffers, format json) select * from due_package_shares(now(), 10000, '{}')"


async def test_finding_due_brands_reads_few_pages_among_many_packages(
    clean: None, owner_connection: OwnerConnection
) -> None:
    month = timedelta(days=30)
    await make_packages(
        owner_connection, MANY, brand_ref=2, package_ref=EURO_PRO, called="u", is_trial=False, age=month, due_in=month
    )
    await owner_connection.execute("analyze users, account_packages")
    for _ in range(EXECUTIONS_UNTIL_GENERIC_PLAN):
        [explained] = json.loads(await owner_connection.fetchval(DUE_BRANDS))
    assert explained["Plan"]["Actual Rows"] == 0
    assert explained["Plan"]["Shared Hit Blocks"] + explained["Plan"]["Shared Read Blocks"] < MAX_PAGES
