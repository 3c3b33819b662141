"""The stored terms equal those of the rows: after every operation, after a rebuild, and while others change them."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest

from sitewright.accounts.search import rebuilding
from sitewright.kit.resources import Resources
from tests.accounts.resellers.shapes import new_reseller
from tests.accounts.search.support import create, found, new_site, rebuild, stored
from tests.support.account_domains import DOMAIN_PACKAGES, make_account_domain
from tests.support.cast import OTHER_BRAND
from tests.support.sites import make_domain, make_site
from tests.support.users import OwnerConnection, make_user

NAMES = ["Anna", "José-María", "O'Brien", "Weiß", "Bob", "Zoë", "Li", "Bell & Söhne", "a.b", "-"]
STEPS = 120


class Operator:
    """Changes customers through the API, at random. What is refused changes nothing."""

    def __init__(self, client: httpx.AsyncClient, seed: int) -> None:
        self.client, self.random = client, random.Random(seed)  # noqa: S311 - a reproducible choice
        self.number = 0
        self.users: list[int] = []
        self.sites: list[int] = []
        self.resellers: list[int] = []

    def name(self) -> str:
        return self.random.choice(NAMES)

    def unique(self) -> str:
        self.number += 1
        return f"{self.random.choice(['shop', 'my-blog', 'www.firm'])}{self.number}"

    async def step(self) -> None:
        if not (self.users and self.sites and self.resellers):
            await self.add_user()
            await self.add_site()
            await self.add_reseller()
        user, site = self.random.choice(self.users), self.random.choice(self.sites)
        reseller = self.random.choice(self.resellers)
        steps: list[Callable[[], Awaitable[Any]]] = [
            self.add_user,
            self.add_site,
            self.add_reseller,
            lambda: self.client.put(f"/users/{user}", json={"firstName": self.name(), "company": self.name()}),
            lambda: self.client.put(f"/users/{user}", json={"username": self.unique()}),
            lambda: self.client.delete(f"/users/{user}"),
            lambda: self.client.put(f"/users/{user}", json={"deleted": 0}),
            lambda: self.client.post(f"/users/{user}/anonymise") if self.random.random() < 0.3 else self.add_user(),
            lambda: self.client.post(f"/sites/{site}/domains", json={"domain": f"{self.unique()}.example"}),
            lambda: self.unmap(site),
            lambda: self.client.delete(f"/sites/{site}"),
            lambda: self.client.post(f"/sites/{site}/restore"),
            lambda: self.client.post(f"/sites/{site}/hard-delete"),
            lambda: self.client.put(f"/resellers/{reseller}", json={"name": self.name()}),
            lambda: self.client.delete(f"/resellers/{reseller}"),
            lambda: self.buy(user),
        ]
        await self.random.choice(steps)()

    async def add_user(self) -> None:
        reseller = {"resellerRef": self.random.choice(self.resellers)} if self.resellers else {}
        body = {"firstName": self.name(), "lastName": self.name()} | reseller
        try:
            self.users.append(await create(self.client, self.unique(), **body))
        except AssertionError:
            self.users.append(await create(self.client, self.unique()))

    async def add_site(self) -> None:
        user = self.random.choice(self.users)
        response = await self.client.post("/sites", json=new_site(user, f"{self.unique()}.example"))
        if response.is_success:
            self.sites.append(response.json()["site"]["ref"])

    async def add_reseller(self) -> None:
        response = await self.client.post("/brands/1/resellers", json=new_reseller(name=self.name()))
        self.resellers.append(response.json()["reseller"]["ref"])

    async def unmap(self, site: int) -> None:
        for each in (await self.client.get(f"/sites/{site}/domains")).json().get("domainToSiteMaps", [])[:1]:
            await self.client.delete(f"/sites/{site}/domains/{each['ref']}")

    async def buy(self, user: int) -> None:
        body = {"domainName": f"{self.unique().replace('.', '-')}.com", "packageRef": DOMAIN_PACKAGES[1]}
        bought = await self.client.post(f"/users/{user}/account-domains", json=body)
        if bought.is_success and self.random.random() < 0.5:
            await self.client.delete(f"/account-domains/{bought.json()['accountDomain']['ref']}")


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_after_any_operations_the_terms_are_those_of_the_rows(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, seed: int
) -> None:
    await rebuild(resources)
    operator = Operator(owner, seed)
    for _ in range(STEPS):
        await operator.step()
    before = await stored(owner_connection)
    rebuilt = await rebuild(resources)
    assert (await stored(owner_connection), rebuilt.corrected) == (before, 0)
    assert rebuilt.users >= len(operator.users)
    assert len(before) > 40


async def test_a_rebuild_adds_what_is_missing_and_removes_what_is_not_true(
    owner: httpx.AsyncClient,
    other_brand: httpx.AsyncClient,
    owner_connection: OwnerConnection,
    resources: Resources,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rebuilding, "BATCH", 2)
    refs = [await make_user(owner_connection, resources, username=f"early{number}") for number in range(5)]
    await make_user(owner_connection, resources, OTHER_BRAND, username="early9")
    site_ref = await make_site(owner_connection, resources, user_ref=refs[0])
    await make_domain(owner_connection, 1, site_ref, "earlybird.example")
    await make_account_domain(owner_connection, 1, refs[1], "morning.com")
    await owner_connection.execute(
        "insert into search_terms (brand_ref, user_ref, source, term) values (1, $1, 0, 'untrue')", refs[2]
    )
    assert (await found(owner, "early"), await found(owner, "untrue")) == ([], ["early2"])
    assert (await rebuild(resources)).corrected > 10
    assert await found(owner, "early") == [f"early{number}" for number in range(5)]
    assert await found(other_brand, "early") == ["early9"]
    assert (await found(owner, "earlyb"), await found(owner, "morning"), await found(owner, "untrue")) == (
        ["early0"],
        ["early1"],
        [],
    )
    assert (await rebuild(resources)).corrected == 0


async def test_an_interrupted_rebuild_is_continued_where_it_stopped(
    owner: httpx.AsyncClient,
    owner_connection: OwnerConnection,
    resources: Resources,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rebuilding, "BATCH", 1)
    for number in range(3):
        await make_user(owner_connection, resources, username=f"early{number}")

    class Interrupted(Exception):
        pass

    def interrupt(_users: int) -> None:
        raise Interrupted

    with pytest.raises(Interrupted):
        await rebuilding.rebuild_all(resources, interrupt)
    assert await found(owner, "early") == ["early0"]
    await rebuilding.SCHEDULES[0].run(resources)
    assert await found(owner, "early") == ["early0", "early1", "early2"]
    assert await owner_connection.fetchval("select count(*) from search_rebuilds") == 0
    assert (await rebuilding.continue_rebuilds(resources)).users == 0


async def test_renames_during_searches_and_rebuilds(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    """A search sees each user under the former or the new name, never neither; afterwards all terms are true."""
    refs = [await create(owner, f"user{number}", firstName="Former") for number in range(8)]

    async def rename(ref: int) -> None:
        for name in ("Newer", "Former", "Newest"):
            assert (await owner.put(f"/users/{ref}", json={"firstName": name})).is_success

    async def search() -> None:
        for _ in range(6):
            assert len(await found(owner, "user")) == len(refs)
            assert set(await found(owner, "new")) | set(await found(owner, "form")) <= {f"user{n}" for n in range(8)}

    async def add_sites(ref: int) -> None:
        for number in range(3):
            response = await owner.post("/sites", json=new_site(ref, f"site{number}-{ref}.example"))
            assert response.is_success, response.text

    await asyncio.gather(*map(rename, refs), *map(add_sites, refs), search(), search(), rebuild(resources))
    assert await found(owner, "newest") == [f"user{number}" for number in range(8)]
    assert await found(owner, "former") == await found(owner, "newer") == []
    assert len(await found(owner, "site")) == len(refs)
    assert (await rebuild(resources)).corrected == 0
