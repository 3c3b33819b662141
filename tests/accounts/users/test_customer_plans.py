"""The list of customers of a large brand walks an index, under the service's role and row-level security."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any, cast

import pytest

from sitewright.accounts.users.customers import service
from sitewright.accounts.users.customers.service import CustomerFilter
from sitewright.kit.db import Transaction
from sitewright.kit.keyset import PageRequest, Position
from sitewright.kit.resources import Resources
from tests.accounts.users.test_plans import Explained, users_seen
from tests.support.cast import OWN_BRAND, RESELLER_REF
from tests.support.packages import FREE, PRO, TRIAL
from tests.support.users import OwnerConnection, make_reseller

USERS = 40_000
FIRST = 700_000_000
MANY = """
insert into users (brand_ref, ref, reseller_ref, first_name, last_name, username, username_key, email, email_key,
                   language_code, created_at, updated_at, deleted_at, suspended_at)
select 1, $2 + n, case when n % 100 = 0 then 7 end, '', '', n, n, n, n, 'en',
       timestamptz '2026-01-01 00:00+00' + n * interval '1 minute', now(), case when n % 5000 = 1 then now() end,
       case when n % 5000 = 2 then now() end
  from generate_series(1, $1::int) n
"""
PACKAGES = """
insert into account_packages (brand_ref, user_ref, package_ref, is_subscription, is_trial, billing_period_months, price,
                              currency_ref, delete_on_expiry, started_at, updated_at)
select 1, $2 + n, case when n % 5000 = 3 then $4 when n % 5000 = 4 then $5 else $3::bigint end, true, n % 5000 = 4, 1,
       case when n % 5000 = 3 then 5 else 0 end, case when n % 5000 = 3 then 1 end, false, now(), now()
  from generate_series(1, $1::int) n
"""
PERIOD = {"since": datetime(2026, 1, 3, tzinfo=UTC), "until": datetime(2026, 1, 5, tzinfo=UTC)}


@pytest.fixture(scope="module")
async def many_users(cleaning: str, owner_connection: OwnerConnection) -> AsyncIterator[None]:
    """Of each rare kind there are eight. No test of this module changes anything."""
    await owner_connection.execute("delete from users")
    await make_reseller(owner_connection, OWN_BRAND, RESELLER_REF)
    await owner_connection.execute(MANY, USERS, FIRST)
    await owner_connection.execute("analyze users")  # or each key below may be checked by the plan for an empty table
    await owner_connection.execute(PACKAGES, USERS, FIRST, FREE, PRO, TRIAL)
    await owner_connection.execute("vacuum (analyze) users, account_packages")
    yield
    await owner_connection.execute(cleaning)


CASES: dict[str, tuple[dict[str, Any], dict[str, Any], int]] = {
    "newest first": ({}, {}, 20),
    "far back": ({}, {"after": Position(str(FIRST + 900), FIRST + 900)}, 20),
    "backwards": ({}, {"before": Position(str(FIRST + 900), FIRST + 900)}, 20),
    "by e-mail address": ({}, {"sort": "email", "descending": False}, 20),
    "by user name": ({}, {"sort": "username"}, 20),
    "by registration": ({}, {"sort": "created"}, 20),
    "active": ({"state": "active"}, {}, 20),
    "suspended": ({"state": "suspended"}, {}, 8),
    "deleted": ({"state": "deleted"}, {}, 8),
    "trial": ({"state": "trial"}, {}, 8),
    "paying": ({"state": "paying"}, {}, 8),
    "a rare package": ({"package_ref": PRO}, {}, 8),
    "a package nobody has": ({"package_ref": 999}, {}, 0),
    "a common package": ({"package_ref": FREE}, {}, 20),
    "a reseller": ({"reseller_ref": RESELLER_REF}, {}, 20),
    "a period long ago": (PERIOD, {}, 20),
}


@pytest.mark.parametrize("name", CASES)
async def test_a_page_reads_only_what_it_shows(many_users: None, resources: Resources, name: str) -> None:
    filters, place, number = CASES[name]
    options: dict[str, Any] = {"sort": "ref", "descending": True, "limit": 20} | place
    page = PageRequest(**options)
    async with resources.database.transaction(OWN_BRAND) as tx:
        explained = Explained(tx)
        found = await service.list_customers(cast("Transaction", explained), CustomerFilter(**filters), page)
    assert len(found.rows) == number
    for kind, rows in [seen for plan in explained.plans for seen in users_seen(plan)]:
        assert "Index" in kind or kind == "Bitmap Heap Scan"
        assert rows <= 60
