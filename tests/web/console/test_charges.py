"""The list of charges in the console."""

import csv
import io
from datetime import timedelta

import httpx
import pytest

from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.support.browsing import assert_loads_nothing_else, page_text
from tests.support.cast import OWN_BRAND
from tests.support.packages import PRO, STARTER, assign
from tests.support.users import OwnerConnection, make_user
from tests.web.console.conftest import LogIn

CHARGES = "/console/charges"


@pytest.fixture
async def customers(owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources) -> list[int]:
    """Two customers who were charged, one of them twice."""
    refs = [await make_user(owner_connection, resources, username=name, first_name=name) for name in ("ann", "ben")]
    for ref, package in ((refs[0], STARTER), (refs[1], STARTER), (refs[0], PRO)):
        assert (await assign(owner, ref, package)).status_code == 200
    await owner_connection.execute("update charges set at = at - interval '40 days' where user_ref = $1", refs[1])
    return refs


async def listed(client: httpx.AsyncClient, query: str = "") -> list[dict[str, str]]:
    response = await client.get(f"{CHARGES}.csv?{query}")
    assert response.status_code == 200
    return list(csv.DictReader(io.StringIO(response.text)))


async def test_lists_what_was_charged(log_in: LogIn, customers: list[int]) -> None:
    viewer = await log_in("viewer")
    page = await viewer.get(CHARGES)
    assert_loads_nothing_else(page)
    text = page_text(page)
    assert "Pro" in text
    assert "$" in text
    assert "&lt;time" not in page.text
    assert f'href="/console/customers/{customers[0]}"' in page.text
    rows = await listed(viewer)
    assert [int(row["user"]) for row in rows] == [customers[0], customers[0], customers[1]], "the newest first"
    assert {row["currency"] for row in rows} == {"USD"}


async def test_filters_by_customer_package_currency_and_day(admin: httpx.AsyncClient, customers: list[int]) -> None:
    yesterday = (clock.now() - timedelta(days=1)).date()
    for query, number in (
        (f"user={customers[1]}", 1),
        (f"package={STARTER}", 2),
        ("currency=USD", 3),
        ("currency=EUR", 0),
        (f"from={yesterday}", 2),
        (f"to={yesterday}", 1),
        (f"user={customers[0]}&package={PRO}&sort=at", 1),
    ):
        assert len(await listed(admin, query)) == number, query
    for wrong in ("from=soon", "sort=amount", "user=x", "currency=EURO"):
        assert (await admin.get(f"{CHARGES}?{wrong}")).status_code == 400, wrong


async def test_charges_of_another_brand_are_not_shown(
    log_in: LogIn, admin: httpx.AsyncClient, customers: list[int], owner_connection: OwnerConnection
) -> None:
    brands = await owner_connection.fetch("select distinct brand_ref from charges")
    assert [row["brand_ref"] for row in brands] == [OWN_BRAND]
    other = await log_in("system-owner")
    assert (await other.get(CHARGES)).headers["location"] == "/console", "no brand is chosen"
    assert await listed(admin, f"user={customers[0] + 100000}") == []


async def test_the_page_of_a_customer_leads_to_all_of_everything(
    admin: httpx.AsyncClient, customers: list[int], owner_connection: OwnerConnection
) -> None:
    address = f"/console/customers/{customers[0]}"
    page = await admin.get(address)
    assert f'href="/console/charges?user={customers[0]}"' in page.text
    assert f"{address}?all=packages" not in page.text
    await owner_connection.execute(
        "insert into account_packages (brand_ref, user_ref, package_ref, is_subscription, is_trial,"
        " billing_period_months, price, delete_on_expiry, started_at, ended_at, updated_at)"
        " select brand_ref, user_ref, package_ref, true, false, 1, 0, false, at, at, at"
        "   from account_packages cross join lateral (select started_at - n * interval '1 day' from"
        "        generate_series(1, 20) n) former (at) where user_ref = $1 and ended_at is null",
        customers[0],
    )
    page = await admin.get(address)
    assert f'href="{address}?all=packages#packages"' in page.text
    complete = await admin.get(f"{address}?all=packages")
    assert complete.status_code == 200
    assert complete.text.count("ended on") >= 20 > page.text.count("ended on")
    assert (await admin.get(f"{address}?all=nothing")).status_code == 200
