"""GET /users: which users the filters let through."""

from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.accounts.users.shapes import ref_of_new_user
from tests.support.cast import OTHER_BRAND, RESELLER_REF
from tests.support.paging import refs_in
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection, make_reseller, make_user


async def listed(client: httpx.AsyncClient, **query: Any) -> list[str]:
    """The usernames, checked against the count."""
    response = await client.get("/users", params=query)
    assert response.status_code == 200, response.text
    names = [each["username"] for each in response.json()["accountHolders"]]
    assert response.json()["count"] == str(len(names))
    return names


async def test_names_and_addresses_in_any_case(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    await make_user(owner_connection, resources, username="Zoë", email="Shared@Mail.example")
    await make_user(owner_connection, resources, username="bea", email="shared@mail.example")
    await make_user(owner_connection, resources, OTHER_BRAND, username="zoë", email="shared@mail.example")
    for spelling in ("zoë", "ZOË", "zoe\u0308"):
        assert await listed(owner, username=spelling) == ["Zoë"]
    assert await listed(owner, email="SHARED@MAIL.EXAMPLE") == ["Zoë", "bea"]
    assert await listed(owner, email="shared@mail.example", username="BEA") == ["bea"]
    for nobody in ("zo", "zoe", "%", "", " zoë"):
        assert await listed(owner, username=nobody) == []


async def test_deleted_users_with_show_deleted(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    for name in ("a", "b"):
        await make_user(owner_connection, resources, username=name)
    await owner.delete(f"/users/{refs_in(await owner.get('/users'))[0]}")
    assert await listed(owner) == await listed(owner, showDeleted=0) == ["b"]
    assert await listed(owner, showDeleted=1) == ["a", "b"]
    assert (await listed(owner, username="a"), await listed(owner, username="a", showDeleted=1)) == ([], ["a"])


async def test_users_of_a_reseller(
    owner: httpx.AsyncClient,
    reseller: httpx.AsyncClient,
    owner_connection: OwnerConnection,
    resources: Resources,
) -> None:
    await make_user(owner_connection, resources, username="theirs", reseller_ref=RESELLER_REF)
    await make_user(owner_connection, resources, username="another's", reseller_ref=8)
    await make_user(owner_connection, resources, username="nobody's")
    assert await listed(owner, resellerRef=RESELLER_REF) == ["theirs"]
    assert await listed(owner, resellerRef=RESELLER_REF, username="nobody's") == []
    assert await listed(owner) == ["theirs", "another's", "nobody's"]
    assert await listed(reseller) == await listed(reseller, resellerRef=RESELLER_REF) == ["theirs"]
    assert await listed(reseller, email="ann@mail.example") == ["theirs"]
    assert problem_in(await reseller.get("/users?resellerRef=8")) == (400, "invalidResellerRef")


async def test_counts_of_a_reseller_are_updated(owner: httpx.AsyncClient, reseller: httpx.AsyncClient) -> None:
    ref = await ref_of_new_user(reseller)
    await ref_of_new_user(owner, username="bea")
    assert (await listed(reseller), len(await listed(owner))) == (["ann"], 2)
    await reseller.delete(f"/users/{ref}")
    assert (await listed(reseller), await listed(reseller, showDeleted=1)) == ([], ["ann"])
    await reseller.put(f"/users/{ref}", json={"deleted": 0})
    assert (await listed(reseller), len(await listed(owner))) == (["ann"], 2)


async def test_a_reseller_of_another_brand_is_rejected(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    await make_reseller(owner_connection, OTHER_BRAND, 9)
    await make_reseller(owner_connection, 1, 10)
    await owner_connection.execute("update resellers set deleted_at = now() where ref = 10")
    for reseller_ref in (9, 10, 999):
        response = await owner.get("/users", params={"resellerRef": reseller_ref})
        assert problem_in(response) == (400, "invalidResellerRef")


async def test_the_reseller_filter_is_ignored_before_its_release(owner: httpx.AsyncClient) -> None:
    await ref_of_new_user(owner)
    for value in ("999", "x"):
        response = await owner.get(f"/users?resellerRef={value}", headers={"X-Api-Version": "7.43"})
        assert (response.status_code, response.json()["count"]) == (200, "1")
    response = await owner.get("/users?resellerRef=999", headers={"X-Api-Version": "7.44"})
    assert problem_in(response) == (400, "invalidResellerRef")


async def created_at(owner_connection: OwnerConnection, resources: Resources, zone: str, *instants: str) -> None:
    """Users named for the instants (in UTC) at which they were created, in a brand of this zone."""
    await owner_connection.execute("update brands set time_zone = $1 where brand_ref = 1", zone)
    for text in instants:
        at = datetime.fromisoformat(text).replace(tzinfo=UTC)
        await make_user(owner_connection, resources, username=text, created_at=at)


async def test_a_date_means_the_whole_day(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    before, first, last, after = (
        "2026-01-30T23:59:59.999999", "2026-01-31T00:00:00", "2026-01-31T23:59:59.999999", "2026-02-01T00:00:00",
    )  # fmt: skip
    await created_at(owner_connection, resources, "UTC", before, first, last, after)
    assert await listed(owner, dateFrom="2026-01-31") == [first, last, after]
    assert await listed(owner, dateTo="2026-01-31") == [before, first, last]
    assert await listed(owner, dateFrom="2026-01-31", dateTo="2026-01-31") == [first, last]
    assert await listed(owner, dateFrom="2026-02-02", dateTo="2026-01-01") == []


async def test_a_time_means_the_whole_second(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    names = [f"2026-01-31T12:00:{second}" for second in ("00.5", "01", "01.999999", "02")]
    await created_at(owner_connection, resources, "UTC", *names)
    assert await listed(owner, dateFrom="2026-01-31 12:00:01") == names[1:]
    assert await listed(owner, dateTo="2026-01-31 12:00:01") == names[:3]
    assert await listed(owner, dateTo="2026-01-31T12:00:01Z") == names[:3]
    assert await listed(owner, dateTo="2026-01-31T13:00:01.000000+01:00") == names[:2]
    assert await listed(owner, dateFrom="2026-01-31T07:00:01-05:00", dateTo="2026-01-31T12:00:02") == names[1:]


async def test_a_day_of_23_hours(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    names = ["2026-03-28T22:59:59", "2026-03-28T23:00:00", "2026-03-29T00:59:59", "2026-03-29T01:00:00",
             "2026-03-29T21:59:59", "2026-03-29T22:00:00"]  # fmt: skip
    await created_at(owner_connection, resources, "Europe/Berlin", *names)
    assert await listed(owner, dateFrom="2026-03-29", dateTo="2026-03-29") == names[1:5]
    assert await listed(owner, dateFrom="2026-03-29 02:30:00") == names[3:]
    assert await listed(owner, dateTo="2026-03-29 02:30:00") == names[:3]


async def test_a_day_of_25_hours(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    names = ["2026-10-24T21:59:59", "2026-10-24T22:00:00", "2026-10-25T00:30:00", "2026-10-25T01:30:00",
             "2026-10-25T22:59:59", "2026-10-25T23:00:00"]  # fmt: skip
    await created_at(owner_connection, resources, "Europe/Berlin", *names)
    assert await listed(owner, dateFrom="2026-10-25", dateTo="2026-10-25") == names[1:5]
    assert await listed(owner, dateFrom="2026-10-25 02:30:00", dateTo="2026-10-25 02:30:00") == names[2:4]


@pytest.mark.parametrize("name", ["dateFrom", "dateTo"])
@pytest.mark.parametrize(
    "text",
    ["", "yesterday", "2026-1-1", "2026-02-30", "20260131", "2026-13-01", "31.01.2026", "2026-01-31T24:00:00",
     "2026-01-31 12:00:00 02:00", "2026-01-31T12:00:00+25:00", "2026-01-31T12", "0000-01-01", "2026-01-31 ",
     "\u0662\u0660\u0662\u0666-01-31", "2026-W05-6", "1767225600"],
)  # fmt: skip
async def test_an_invalid_date_is_rejected(owner: httpx.AsyncClient, name: str, text: str) -> None:
    response = await owner.get("/users", params={name: text})
    assert problem_in(response) == (400, f"invalidD{name[1:]}")
