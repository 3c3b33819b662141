"""Events about account holders: one for each change, none where nothing changes, and no personal data."""

from typing import Any

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.accounts.users.shapes import ref_of_new_user
from tests.support.cast import RESELLER_REF
from tests.support.emitted import emitted, emitted_names
from tests.support.packages import FREE
from tests.support.users import OwnerConnection, make_user

NAMES = {"username": "zebedee", "firstName": "Zebulon", "lastName": "Zwingli", "email": "zeb@mail.example"}


@pytest.fixture
async def user_ref(owner_connection: OwnerConnection, resources: Resources, clean: None) -> int:
    return await make_user(owner_connection, resources)


async def test_a_new_user_has_two_events(reseller: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    ref = await ref_of_new_user(reseller)
    assert await emitted(owner_connection) == [
        ("package.started", {
            "accountHolder": {"ref": ref}, "change": "registration", "isSubscription": True,
            "accountPackageRef": await owner_connection.fetchval("select max(ref) from account_packages"),
            "packageRef": FREE, "fromAccountPackageRef": None, "fromPackageRef": None, "billingPeriodMonths": 1,
            "endsAt": None, "reason": None,
        }),
        ("user.created", {"accountHolder": {"ref": ref}, "resellerRef": RESELLER_REF}),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({"city": "Oslo", "languageCode": "es"}, ["city", "languageCode"]),
        ({"email": "new@mail.example"}, ["email"]),
        ({"password": "another password"}, ["password"]),
        ({"metadata": [{"name": "crm", "value": "C-1"}], "newsletter": 1}, ["metadata", "newsletter"]),
    ],
)
async def test_an_edit_names_the_fields_that_changed(
    owner: httpx.AsyncClient,
    owner_connection: OwnerConnection,
    user_ref: int,
    changes: dict[str, Any],
    fields: list[str],
) -> None:
    assert (await owner.put(f"/users/{user_ref}", json=changes)).status_code == 200
    expected = {"accountHolder": {"ref": user_ref}, "fields": fields}
    assert await emitted(owner_connection) == [("user.updated", expected)]


async def test_an_edit_that_changes_nothing_has_no_event(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int
) -> None:
    same = {"firstName": "Ann", "email": "ann@mail.example", "username": "ann", "metadata": [], "deleted": 0}
    assert (await owner.put(f"/users/{user_ref}", json=same)).status_code == 200
    assert await emitted(owner_connection) == []


async def test_only_what_differs_is_named(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int
) -> None:
    await owner.put(f"/users/{user_ref}", json={"firstName": "Ann", "city": "Oslo", "address1": ""})
    assert await emitted(owner_connection) == [
        ("user.updated", {"accountHolder": {"ref": user_ref}, "fields": ["city"]})
    ]


async def test_deleting_and_restoring(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int
) -> None:
    await owner.delete(f"/users/{user_ref}")
    assert (await owner.delete(f"/users/{user_ref}")).status_code == 404
    await owner.put(f"/users/{user_ref}", json={"deleted": 0, "city": "Oslo"})
    await owner.put(f"/users/{user_ref}", json={"deleted": 1})
    holder = {"accountHolder": {"ref": user_ref}}
    assert await emitted(owner_connection) == [
        ("user.deleted", holder),
        ("user.restored", holder),
        ("user.updated", holder | {"fields": ["city"]}),
        ("user.deleted", holder),
    ]


async def test_suspending_twice_is_one_event(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int
) -> None:
    for call in ("unsuspend", "suspend", "suspend", "unsuspend", "unsuspend"):
        assert (await owner.post(f"/users/{user_ref}/{call}", json={"reason": "Zwingli owes us"})).status_code == 204
    holder = {"accountHolder": {"ref": user_ref}}
    assert await emitted(owner_connection) == [("user.suspended", holder), ("user.unsuspended", holder)]


async def test_a_log_in_is_an_event(
    owner: httpx.AsyncClient, anonymous: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int
) -> None:
    link = (await owner.post(f"/users/{user_ref}/auto-login")).json()["flowUrl"]
    assert (await anonymous.get(link)).status_code == 303
    assert await emitted(owner_connection) == [("user.loggedIn", {"accountHolder": {"ref": user_ref}})]


async def test_an_anonymised_user_has_left_nothing_in_events(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    ref = await ref_of_new_user(owner, **NAMES)
    await owner.put(f"/users/{ref}", json={"city": "Zurich", "phoneNumber": "+41 555"})
    await owner.post(f"/users/{ref}/suspend", json={"reason": "Zwingli"})
    for _ in range(2):
        assert (await owner.post(f"/users/{ref}/anonymise")).status_code == 204
    assert (await emitted_names(owner_connection)).count("user.anonymised") == 1
    assert (await emitted(owner_connection))[-1] == ("user.anonymised", {"accountHolder": {"ref": ref}})
    stored = await owner_connection.fetch("select body::text from events")
    texts = " ".join(row["body"] for row in stored).lower()
    for personal in (*NAMES.values(), "zurich", "+41 555", "zwingli"):
        assert personal.lower() not in texts
