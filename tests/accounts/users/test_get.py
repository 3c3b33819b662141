"""GET /users/:userRef."""

from datetime import timedelta

import httpx
import pytest

from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.accounts.users.shapes import GOT, TS, create_user, get_user, ref_of_new_user
from tests.catalogue.packages.shapes import assert_shape
from tests.support.cast import OTHER_BRAND
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection, assign_package, make_user

DAY = 24 * 60 * 60


async def test_every_field_has_its_type(owner: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    ref = await ref_of_new_user(owner)
    await owner_connection.execute("update users set last_login_at = now(), email_verified_at = now()")
    holder = await get_user(owner, ref)
    assert_shape(holder, GOT)
    assert_shape(holder["lastLogin"], TS)
    assert holder["emailVerified"] is True


async def test_capabilities_are_text(owner: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    await owner_connection.execute("""update packages set capabilities = '{"cdnEnabled": 1, "liveSites": 5}'""")
    capabilities = (await create_user(owner))["capabilities"]
    assert {type(value) for value in capabilities.values()} == {str}
    assert (len(capabilities), capabilities["cdnEnabled"], capabilities["liveSites"]) == (52, "Y", "5")


async def test_times_are_in_the_brands_zone(owner: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    await owner_connection.execute("update brands set time_zone = 'Asia/Kathmandu' where brand_ref = 1")
    ref = await ref_of_new_user(owner)
    await owner_connection.execute("update users set created_at = '2026-01-31 18:20:59.999+00'")
    expected = {"date": "2026-02-01 00:05:59", "timezone_type": 3, "timezone": "Asia/Kathmandu"}
    assert (await get_user(owner, ref))["created"] == expected


async def test_a_package_that_does_not_renew(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    ref = await make_user(owner_connection, resources)
    due = {"due_at": clock.now() + timedelta(days=364, minutes=1), "price": 5}
    await assign_package(owner_connection, 1, ref, 2, **due)
    assert [(await get_user(owner, ref))[name] for name in ("nrtStatus", "nrtDaysToExpiry")] == [False, 0]
    await assign_package(owner_connection, 1, ref, 3, **due, delete_on_expiry=True)
    holder = await get_user(owner, ref)
    assert [holder[name] for name in ("nrtStatus", "nrtDaysToExpiry", "subscriptionPackageRef")] == [True, 364, 3]


async def test_the_package_of_a_deleted_user_does_not_renew(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    ref = await make_user(owner_connection, resources)
    await assign_package(owner_connection, 1, ref, 2, due_at=clock.now() + timedelta(days=3, minutes=1), price=5)
    await owner.delete(f"/users/{ref}")
    holder = await get_user(owner, ref, showDeleted=1)
    assert (holder["nrtStatus"], holder["nrtDaysToExpiry"]) == (True, 3)


async def test_days_left_of_a_trial_are_whole(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    ref = await make_user(owner_connection, resources)
    await assign_package(owner_connection, 1, ref, 2, is_trial=True, due_at=clock.now())
    days = []
    for seconds in (-14 * DAY, -14 * DAY + 60, -DAY - 60, -DAY + 60, 0, DAY):
        clock.shift(seconds)
        days.append((await get_user(owner, ref))["nrtDaysToExpiry"])
    assert days == [13, 13, 1, 0, 0, 0]


async def test_an_add_on_is_not_the_package(owner: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    ref = await ref_of_new_user(owner)
    await owner_connection.execute(
        "insert into account_packages (brand_ref, user_ref, package_ref, is_subscription, is_trial,"
        " billing_period_months, price, delete_on_expiry, started_at, updated_at)"
        " values (1, $1, 4, false, false, 12, 0, false, now(), now())",
        ref,
    )
    assert (await get_user(owner, ref))["subscriptionPackageRef"] == 1


async def test_a_deleted_user_is_returned_with_show_deleted(owner: httpx.AsyncClient) -> None:
    ref = await ref_of_new_user(owner)
    await owner.delete(f"/users/{ref}")
    for query in ({}, {"showDeleted": "0"}):
        assert problem_in(await owner.get(f"/users/{ref}", params=query)) == (404, "userNotFound")
    holder = await get_user(owner, ref, showDeleted=1)
    assert (holder["deleted"], holder["editorAccess"]) == (True, False)


@pytest.mark.parametrize("show", ["2", "on", "", "-1"])
async def test_an_invalid_flag_is_rejected(owner: httpx.AsyncClient, show: str) -> None:
    ref = await ref_of_new_user(owner)
    assert problem_in(await owner.get(f"/users/{ref}", params={"showDeleted": show})) == (400, "invalidShowDeleted")


async def test_other_brands_and_other_resellers_users_do_not_exist(
    owner: httpx.AsyncClient, other_brand: httpx.AsyncClient, reseller: httpx.AsyncClient
) -> None:
    ref = await ref_of_new_user(owner)
    for client in (other_brand, reseller):
        for path in (f"/users/{ref}", f"/users/{ref}?showDeleted=1", "/users/999"):
            assert problem_in(await client.get(path)) == (404, "userNotFound")


async def test_a_reseller_sees_its_own(owner: httpx.AsyncClient, reseller: httpx.AsyncClient) -> None:
    ref = await ref_of_new_user(reseller)
    assert (await get_user(reseller, ref)) == await get_user(owner, ref)


@pytest.mark.parametrize("ref", ["0", "-1", "abc", "1.0", "+1", str(2**63), "%201"])
async def test_malformed_refs(owner: httpx.AsyncClient, ref: str) -> None:
    assert problem_in(await owner.get(f"/users/{ref}")) == (404, "userNotFound")


async def test_a_system_owner_names_the_brand(system_owner: httpx.AsyncClient) -> None:
    ref = await ref_of_new_user(system_owner, brandRef=OTHER_BRAND)
    response = await system_owner.get(f"/users/{ref}", headers={"X-Brand-Ref": str(OTHER_BRAND)})
    assert response.json()["accountHolder"]["brandRef"] == OTHER_BRAND
    assert problem_in(await system_owner.get(f"/users/{ref}")) == (400, "brandRequired")
    wrong_brand = await system_owner.get(f"/users/{ref}", headers={"X-Brand-Ref": "1"})
    assert problem_in(wrong_brand) == (404, "userNotFound")


async def test_a_head_has_no_body(owner: httpx.AsyncClient) -> None:
    response = await owner.head(f"/users/{await ref_of_new_user(owner)}")
    assert (response.status_code, response.content) == (200, b"")
