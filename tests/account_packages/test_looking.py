"""The clock's look for what is due costs the same however many packages there are that are not."""

import json

from tests.support.users import OwnerConnection

MOST_PAGES = 100
MANY = 20_000
UNTIL_PLANNED_FOR_ANY_TIME = 7
FILL = """
with made as (
    insert into users (brand_ref, first_name, last_name, username, username_key, email, email_key, language_code,
                       created_at, updated_at)
    select 2, 'Ann', 'Example', 'u' || n, 'u' || n, 'u' || n || '@mail.example', 'u' || n || '@mail.example', 'en',
           now(), now() from generate_series(1, $1) n returning ref
)
insert into account_packages (brand_ref, user_ref, package_ref, is_subscription, is_trial, billing_period_months, price,
                              delete_on_expiry, started_at, due_at, updated_at)
select 2, ref, 9, true, false, 1, 0, false, now(), now() + interval '1 month', now() from made
"""
LOOK = "explain (analyze, buffers, format json) select brands_with_due_packages(now())"


async def test_a_look_reads_a_few_pages_among_many_packages(clean: None, owner_connection: OwnerConnection) -> None:
    await owner_connection.execute(FILL, MANY)
    await owner_connection.execute("analyze users, account_packages")
    for _ in range(UNTIL_PLANNED_FOR_ANY_TIME):
        [told] = json.loads(await owner_connection.fetchval(LOOK))
    assert told["Plan"]["Actual Rows"] == 0
    assert told["Plan"]["Shared Hit Blocks"] + told["Plan"]["Shared Read Blocks"] < MOST_PAGES
