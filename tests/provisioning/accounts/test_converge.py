"""PUT /brands/:brandRef/accounts/:externalId brings an account to the described state."""

import asyncio
from typing import Any

import httpx

from tests.provisioning.accounts.calls import (
    ACCOUNTS,
    EXTERNAL_ID,
    PASSWORD,
    account,
    converged,
    effects,
    holder,
    paths,
    put,
)
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection


async def test_it_creates_an_account(owner: httpx.AsyncClient) -> None:
    response = await put(owner, account())
    assert response.status_code == 201, response.text
    result = response.json()
    user_ref, [site_ref] = result["account"]["userRef"], result["account"]["siteRefs"]
    assert result["account"] == {
        "externalId": EXTERNAL_ID,
        "userRef": user_ref,
        "siteRefs": [site_ref],
        "package": {"packageRef": 3, "billingFrequency": 12},
        "suspended": False,
        "deleted": False,
    }
    assert paths(result) == [
        ("accountHolder", "create"), ("metadata", "create"), ("package", "update"), ("sites[0]", "create"),
    ]  # fmt: skip
    assert (result["pending"], result["dryRun"]) == ([], False)
    assert PASSWORD not in response.text
    user = (await owner.get(f"/users/{user_ref}")).json()["accountHolder"]
    assert (user["username"], user["subscriptionPackageRef"]) == ("joe", 3)
    site = (await owner.get(f"/sites/{site_ref}")).json()["site"]
    assert (site["live"], site["template"], site["primaryDomain"]["domainName"]) == (True, 1, "www.joes-bakery.example")
    assert set(site["domains"].values()) == {"www.joes-bakery.example", "joes-bakery.example"}
    profile = (await owner.get(f"/users/{user_ref}/profiles/{site['profileRef']}")).json()["profile"]
    assert profile["fields"] == [{"name": "business", "value": "Joe's Bakery"}]


async def test_the_same_request_again_changes_nothing(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    first = await put(owner, account())
    before = await effects(owner_connection)
    for _ in range(3):
        again = await put(owner, account())
        assert again.status_code == 200, again.text
        assert again.json() == first.json() | {"changes": []}
        assert again.headers["etag"] == first.headers["etag"]
    assert await effects(owner_connection) == before


async def test_it_changes_what_differs(owner: httpx.AsyncClient) -> None:
    created = await converged(owner, account())
    result = await converged(
        owner,
        account(
            accountHolder=holder(email="joseph@mail.example", city="Springfield"),
            package={"packageRef": 2, "billingFrequency": 1},
            suspended=True,
            metadata={"customer": "C-1002"},
        ),
    )
    assert paths(result) == [
        ("accountHolder.email", "update"), ("accountHolder.city", "update"), ("metadata", "update"),
        ("suspended", "update"), ("package", "update"),
    ]  # fmt: skip
    assert result["changes"][0] == {
        "path": "accountHolder.email", "action": "update", "from": "joe@mail.example", "to": "joseph@mail.example",
    }  # fmt: skip
    assert result["changes"][4]["to"] == {"packageRef": 2, "billingFrequency": 1}
    assert result["account"] == created["account"] | {
        "suspended": True,
        "package": {"packageRef": 2, "billingFrequency": 1},
    }


async def test_what_is_left_out_stays(owner: httpx.AsyncClient) -> None:
    created = await converged(owner, account())
    assert (await converged(owner, {}))["changes"] == []
    result = await converged(owner, {"accountHolder": {"company": "Bakery Ltd"}})
    assert paths(result) == [("accountHolder.company", "update")]
    assert result["account"] == created["account"]


async def test_sixty_four_at_once_create_one_account(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    responses = await asyncio.gather(*(put(owner, account()) for _ in range(64)))
    assert sorted(response.status_code for response in responses) == [200] * 63 + [201]
    assert len({response.json()["account"]["userRef"] for response in responses}) == 1
    found = await effects(owner_connection)
    assert (found["users"], found["sites"], found["charges"], found["provisioned_accounts"]) == (1, 1, 1, 1)


async def test_a_dry_run_says_the_same_and_does_nothing(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    before = await effects(owner_connection)
    planned = await put(owner, account(), dry_run=True)
    assert planned.status_code == 200, planned.text
    assert await effects(owner_connection) == before
    created = await put(owner, account(), if_match=planned.headers["etag"])
    assert created.status_code == 201
    assert planned.json()["changes"] == created.json()["changes"]
    assert planned.json()["account"] == created.json()["account"] | {"userRef": None, "siteRefs": [None]}
    assert planned.json()["dryRun"] is True


async def test_every_invalid_path_is_named(owner: httpx.AsyncClient) -> None:
    wrong: dict[str, Any] = account(
        accountHolder=holder(email="joe", firstName=""),
        package={"packageRef": 3, "billingFrequency": 0},
        sites=[{"domain": "not a host"}, {"domain": "www.one.example", "domains": ["one.example", "x/y"]}],
    )
    response = await put(owner, wrong)
    assert problem_in(response) == (400, "invalidRequest")
    assert set(response.json()["errors"]) == {
        "accountHolder.email", "accountHolder.firstName", "package.billingFrequency", "sites[0].domain",
        "sites[1].domains[1]",
    }  # fmt: skip


async def test_get_list_and_delete(owner: httpx.AsyncClient) -> None:
    created = await put(owner, account())
    got = await owner.get(f"{ACCOUNTS}/{EXTERNAL_ID}")
    assert got.json() == {"account": created.json()["account"], "pending": []}
    assert got.headers["etag"] == created.headers["etag"]
    listed = await owner.get(ACCOUNTS, params={"externalId": EXTERNAL_ID})
    assert listed.json() == {"accounts": [created.json()["account"]]}
    assert (await owner.delete(f"{ACCOUNTS}/{EXTERNAL_ID}")).status_code == 204
    assert problem_in(await owner.get(f"{ACCOUNTS}/{EXTERNAL_ID}")) == (404, "accountNotFound")
    restored = await converged(owner, account())
    assert paths(restored) == [("deleted", "update"), ("sites[0].published", "update")]
    assert restored["account"] == created.json()["account"]
