"""The list of customers: search, filters, sorts, pages and the file."""

import csv
import io
import re
from datetime import timedelta
from typing import Any

import httpx
import pytest

from sitewright.accounts.users.customers import service
from sitewright.accounts.users.customers.service import CustomerFilter
from sitewright.kit import clock
from sitewright.kit.keyset import PageRequest
from sitewright.kit.resources import Resources
from tests.accounts.search.support import create, new_site, rebuild
from tests.support.browsing import page_text
from tests.support.cast import OTHER_BRAND, OWN_BRAND, RESELLER_REF
from tests.support.many_packages import make_packages
from tests.support.packages import FREE, PRO, STARTER, TRIAL, assign
from tests.support.users import OwnerConnection, make_user
from tests.web.console.conftest import LogIn
from tests.web.console.test_certificates import link

PATH = "/console/customers"
TRIALS: dict[str, Any] = {
    "brand_ref": OWN_BRAND,
    "package_ref": TRIAL,
    "is_trial": True,
    "age": timedelta(days=1),
    "due_in": timedelta(days=9),
}


def names(response: httpx.Response) -> list[str]:
    """The user names on the page, in order."""
    assert response.status_code == 200, response.text
    return re.findall(r'<span class="cell-note">([^<]+)</span>\s*</td><td data-label="State"', response.text)


async def listed(client: httpx.AsyncClient, **query: Any) -> list[str]:
    return names(await client.get(PATH, params=query))


@pytest.fixture
async def customers(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, cast: object, clean: None
) -> dict[str, int]:
    """One in each state, and one of another brand; by user name."""
    refs = {
        name: await create(owner, name, firstName=name.title())
        for name in ("anna", "bert", "carl", "dora", "emil", "frida")
    }
    assert (await assign(owner, refs["bert"], PRO, billingFrequency=12)).status_code == 200
    assert (await assign(owner, refs["carl"], STARTER, billingFrequency=1)).status_code == 200
    assert (await owner.post(f"/users/{refs['dora']}/suspend", json={"reason": "Spam"})).status_code == 204
    assert (await owner.delete(f"/users/{refs['emil']}")).status_code == 204
    await make_user(owner_connection, resources, OTHER_BRAND, username="elsewhere", email="anna@other.example")
    return refs


async def test_newest_first_and_every_state(admin: httpx.AsyncClient, customers: dict[str, int]) -> None:
    page = await admin.get(PATH)
    assert names(page) == ["frida", "emil", "dora", "carl", "bert", "anna"]
    text = page_text(page)
    for state in ("Active", "Paying", "Suspended", "Deleted"):
        assert state in text
    assert "elsewhere" not in text
    assert f'href="{PATH}/{customers["anna"]}"' in page.text


async def test_filters_by_state(
    admin: httpx.AsyncClient, customers: dict[str, int], owner_connection: OwnerConnection
) -> None:
    await owner_connection.execute(
        "update account_packages set is_trial = true, price = 0 where user_ref = $1 and ended_at is null",
        customers["carl"],
    )
    expected = {
        "active": ["frida", "carl", "bert", "anna"],
        "trial": ["carl"],
        "paying": ["bert"],
        "suspended": ["dora"],
        "deleted": ["emil"],
    }
    assert {state: await listed(admin, state=state) for state in expected} == expected
    for state, found in expected.items():
        alone = {name: await listed(admin, state=state, search=name) for name in customers}
        assert alone == {name: [name] if name in found else [] for name in customers}, state


async def test_filters_by_package_reseller_and_day(
    admin: httpx.AsyncClient,
    owner: httpx.AsyncClient,
    customers: dict[str, int],
    owner_connection: OwnerConnection,
    resources: Resources,
) -> None:
    assert await listed(admin, package=PRO) == ["bert"]
    assert await listed(admin, package=PRO, search="bert") == ["bert"]
    assert await listed(admin, package=STARTER, search="bert") == []
    assert "bert" not in await listed(admin, package=FREE)
    of_reseller = await make_user(owner_connection, resources, username="gina", reseller_ref=RESELLER_REF)
    page = await admin.get(PATH, params={"reseller": RESELLER_REF})
    assert names(page) == ["gina"]
    assert f'<option value="{RESELLER_REF}" selected>reseller {RESELLER_REF}</option>' in page.text
    long_ago = clock.now() - timedelta(days=400)
    await owner_connection.execute("update users set created_at = $2 where ref = $1", of_reseller, long_ago)
    day = f"{long_ago:%Y-%m-%d}"
    assert await listed(admin, dateTo=f"{long_ago + timedelta(days=2):%Y-%m-%d}") == ["gina"]
    assert await listed(admin, dateFrom=f"{long_ago - timedelta(days=2):%Y-%m-%d}", dateTo=day) in (["gina"], [])
    assert "gina" not in await listed(admin, dateFrom=f"{long_ago + timedelta(days=2):%Y-%m-%d}")


async def test_the_search_finds_by_every_word(
    admin: httpx.AsyncClient, owner: httpx.AsyncClient, customers: dict[str, int]
) -> None:
    assert (await owner.post("/sites", json=new_site(customers["anna"], "roses-of-anna.example"))).status_code == 201
    for search in ("Anna", "anna@anna.mail", "ROSES", str(customers["anna"]), "ros ann"):
        assert await listed(admin, search=search) == ["anna"], search
    assert await listed(admin, search="-") == []
    assert await listed(admin, search="an", sort="-email") == ["anna"], "its order is its own"
    page = await admin.get(PATH, params={"search": "mail"})
    assert names(page) == ["anna", "bert", "carl", "dora", "emil", "frida"]
    assert "sort=" not in page.text
    assert (await admin.get(PATH, params={"search": " ".join("abcdefghijklmnopqrst")})).status_code == 400


async def test_sorts_on_indexes_only(admin: httpx.AsyncClient, customers: dict[str, int]) -> None:
    ascending = ["anna", "bert", "carl", "dora", "emil", "frida"]
    for sort in ("ref", "email", "username", "created"):
        assert await listed(admin, sort=sort) == ascending, sort
        assert await listed(admin, sort=f"-{sort}") == ascending[::-1], sort
    for sort in ("name", "state", "package", "last_login"):
        assert (await admin.get(PATH, params={"sort": sort})).status_code == 400


@pytest.mark.parametrize(
    "query", ["", "?sort=email", "?search=u", "?state=trial", "?package=7", "?dateFrom=2020-01-01"]
)
async def test_pages_lead_through_all_and_back(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, query: str
) -> None:
    await make_packages(owner_connection, 120, called="u", **TRIALS)
    await rebuild(resources)
    first = await admin.get(f"{PATH}{query}")
    second = await admin.get(link(first, "next"))
    third = await admin.get(link(second, "next"))
    assert [len(found(page)) for page in (first, second, third)] == [50, 50, 20]
    assert len({*found(first), *found(second), *found(third)}) == 120
    assert 'rel="next"' not in third.text
    assert 'rel="prev"' not in first.text
    assert found(await admin.get(link(third, "prev"))) == found(second)
    assert found(await admin.get(link(second, "prev"))) == found(first)
    rows = list(csv.DictReader(io.StringIO((await admin.get(f"{PATH}.csv{query}")).text)))
    assert [f"/console/customers/{row['ref']}" for row in rows] == [*found(first), *found(second), *found(third)]


def found(response: httpx.Response) -> list[str]:
    assert response.status_code == 200, response.text
    return re.findall(r'href="(/console/customers/\d+)"', response.text)


async def test_a_page_costs_two_statements(
    owner_connection: OwnerConnection, resources: Resources, cast: object, clean: None
) -> None:
    wanted, page = CustomerFilter(state="trial"), PageRequest(sort="ref", descending=True)
    for called, number in (("a", 2), ("b", 45)):
        await make_packages(owner_connection, number, called=called, **TRIALS)
        counted: list[str] = []
        async with resources.database.transaction(OWN_BRAND) as tx:
            with tx.query_logger(lambda record: counted.append(record.query)):  # noqa: B023 - called before the next
                assert len((await service.list_customers(tx, wanted, page)).rows) >= number
        assert len(counted) == 2


async def test_the_file_has_what_the_page_leaves_out(log_in: LogIn, customers: dict[str, int]) -> None:
    viewer = await log_in("viewer")
    rows = list(csv.DictReader(io.StringIO((await viewer.get(f"{PATH}.csv?sort=ref")).text)))
    assert [row["username"] for row in rows] == list(customers)
    assert [row["state"] for row in rows][3:5] == ["suspended", "deleted"]
    assert rows[0]["ref"] == str(customers["anna"])
