"""Random sequences of described accounts: calls are repeated, cut off, and sent 64 at once. The account is always as
last described, and repeating a call changes nothing."""

import asyncio
import itertools
from typing import Any

import httpx
from hypothesis import given
from hypothesis import strategies as st

from tests.provisioning.accounts.calls import ACCOUNTS, converged, effects, holder, put
from tests.support.depth import cases, share
from tests.support.eventually import eventually
from tests.support.packages import FREE, PRO, STARTER
from tests.support.users import OwnerConnection

AT_ONCE = share(16, 64)
NAMES = ("one", "two", "three")
Described = dict[str, Any]
numbers = itertools.count(1)

sites = st.dictionaries(
    st.sampled_from(NAMES),
    st.fixed_dictionaries(
        {
            "others": st.lists(st.sampled_from(["a", "b"]), unique=True, max_size=2),
            "businessName": st.sampled_from([None, "Bread", "Cakes & more"]),
            "templateRef": st.sampled_from([1, 2]),
            "published": st.booleans(),
        }
    ),
)
descriptions = st.fixed_dictionaries(
    {
        "firstName": st.sampled_from(["Joe", "Zoë"]),
        "username": st.sampled_from(["joe", "Joe", "joseph"]),
        "city": st.sampled_from([None, "", "Springfield"]),
        "password": st.sampled_from(["fresh bread daily", "stale bread daily"]),
        "package": st.sampled_from([None, (STARTER, 1), (PRO, 1), (PRO, 12)]),
        "suspended": st.booleans(),
        "metadata": st.sampled_from([{}, {"customer": "C-1"}, {"customer": "C-2", "crm": "17"}]),
        "sites": sites,
    }
)
calls = st.lists(
    st.tuples(st.sampled_from(["once", "repeated", "cut off", "planned"]), descriptions), min_size=1, max_size=4
)


def description_of(drawn: Described, number: int) -> Described:
    """A complete description, so that nothing of the former state remains."""
    package = drawn["package"]
    return {
        "accountHolder": holder(
            firstName=drawn["firstName"],
            username=f"{drawn['username']}-{number}",
            city=drawn["city"],
            password=drawn["password"],
        ),
        "package": None if package is None else {"packageRef": package[0], "billingFrequency": package[1]},
        "suspended": drawn["suspended"],
        "metadata": drawn["metadata"],
        "sites": [
            {
                "domain": f"www.{name}-{number}.example",
                "domains": [f"{other}.{name}-{number}.example" for other in site["others"]],
                "businessName": site["businessName"],
                "templateRef": site["templateRef"],
                "published": site["published"],
            }
            for name, site in drawn["sites"].items()
        ],
        "prune": ["sites"],
    }


def is_allowed(description: Described) -> bool:
    """The free package and the starter package have one live site."""
    live = sum(site["published"] for site in description["sites"])
    return live <= 1 or (description["package"] or {}).get("packageRef") == PRO


async def assert_as_described(owner: httpx.AsyncClient, account: Described, described: Described) -> None:
    """As the calls of users and sites show it."""
    user = (await owner.get(f"/users/{account['userRef']}")).json()["accountHolder"]
    sent = described["accountHolder"]
    assert [user[name] for name in ("firstName", "username", "city")] == [
        sent["firstName"], sent["username"], sent["city"] or "",
    ]  # fmt: skip
    assert user["suspended"] == int(described["suspended"])
    package = described["package"] or {"packageRef": FREE}
    assert user["subscriptionPackageRef"] == package["packageRef"]
    listed = (await owner.get(f"/users/{account['userRef']}/sites")).json()["sites"]
    found = {site["primaryDomain"]["domainName"]: site for site in listed}
    assert sorted(site["ref"] for site in listed) == sorted(account["siteRefs"])
    assert found.keys() == {site["domain"] for site in described["sites"]}
    for site in described["sites"]:
        shown = found[site["domain"]]
        assert set(shown["domains"].values()) == {site["domain"], *site["domains"]}
        assert (shown["template"], shown["live"]) == (site["templateRef"], site["published"])
        fields = {field["name"]: field["value"] for field in shown["profile"]["fields"]}
        assert fields.get("business", "") == (site["businessName"] or "")


def is_busy() -> bool:
    """Whether the service, which runs in this process, still works for a client that is gone."""
    return any("run_asgi" in getattr(task.get_coro(), "__qualname__", "") for task in asyncio.all_tasks())


async def send(owner: httpx.AsyncClient, manner: str, description: Described, external_id: str) -> httpx.Response:
    if manner == "cut off":
        waiting = asyncio.create_task(put(owner, description, external_id))
        await asyncio.wait([waiting], timeout=0.01)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await eventually(lambda: not is_busy())
    if manner == "repeated":
        await put(owner, description, external_id)
    if manner == "planned":
        planned = await put(owner, description, external_id, dry_run=True)
        if planned.status_code == 200:
            applied = await put(owner, description, external_id, if_match=planned.headers["etag"])
            assert applied.json()["changes"] == planned.json()["changes"]
            return applied
    return await put(owner, description, external_id)


@cases(8, 300)
@given(calls=calls)
async def test_the_account_is_as_last_described(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, calls: list[tuple[str, Described]]
) -> None:
    number = next(numbers)
    external_id, last, account = f"random-{number}", None, {}
    for manner, drawn in calls:
        description = description_of(drawn, number)
        response = await send(owner, manner, description, external_id)
        if is_allowed(description):
            assert response.status_code in (200, 201), response.text
            last, account = description, response.json()["account"]
        else:
            assert response.status_code == 403, response.text
        if last is not None:
            await assert_as_described(owner, account, last)
    if last is not None:
        await assert_nothing_changes(owner, owner_connection, last, external_id)


async def assert_nothing_changes(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, described: Described, external_id: str
) -> None:
    before, shown = await effects(owner_connection), await owner.get(f"{ACCOUNTS}/{external_id}")
    again = await converged(owner, described, external_id)
    assert (again["changes"], again["account"]["userRef"]) == ([], shown.json()["account"]["userRef"])
    assert await effects(owner_connection) == before
    assert (await owner.get(f"{ACCOUNTS}/{external_id}")).headers["etag"] == shown.headers["etag"]


@cases(2, 40)
@given(first=descriptions, second=descriptions)
async def test_the_same_call_many_times_at_once(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, first: Described, second: Described
) -> None:
    number = next(numbers)
    external_id = f"at-once-{number}"
    for drawn in (first, second):
        description = description_of(drawn, number)
        responses = await asyncio.gather(*(put(owner, description, external_id) for _ in range(AT_ONCE)))
        if not is_allowed(description):
            assert {response.status_code for response in responses} == {403}
            continue
        assert {response.status_code for response in responses} <= {200, 201}
        changed = [response for response in responses if response.json()["changes"]]
        assert len(changed) <= 1
        await assert_as_described(owner, responses[0].json()["account"], description)
        await assert_nothing_changes(owner, owner_connection, description, external_id)
