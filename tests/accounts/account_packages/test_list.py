"""GET /users/:userRef/account-packages, and PUT, which sets whether a package renews."""

from datetime import timedelta
from typing import Any

import httpx
import pytest

from sitewright.kit import clock
from sitewright.kit.paging import MAX_LIST_BYTES
from tests.accounts.account_packages.conftest import MakeUser
from tests.catalogue.packages.shapes import PACKAGE, assert_shape
from tests.support.cast import OTHER_BRAND, OWN_BRAND, RESELLER_REF
from tests.support.ledger import Ledger
from tests.support.packages import FREE, PRO, STARTER, TRIAL, assign
from tests.support.paging import walk
from tests.support.prices import make_prices
from tests.support.responses import items_in, problem_in
from tests.support.users import OwnerConnection, assign_package

TEXT_OR_NULL = (str, type(None))
ACCOUNT_PACKAGE = {
    **dict.fromkeys(("ref", "deleteOnExpiry", "billingPeriodMonths"), (int,)),
    **dict.fromkeys(("startDateTime", "updated", "package"), (dict,)),
    "endDateTime": (dict, type(None)),
}


async def listed(client: httpx.AsyncClient, user_ref: int) -> list[dict[str, Any]]:
    return items_in(await client.get(f"/users/{user_ref}/account-packages"), "accountPackages")


async def test_past_and_current_first_created_first(owner: httpx.AsyncClient, user: MakeUser) -> None:
    user_ref = await user()
    for package_ref in (STARTER, PRO):
        await assign(owner, user_ref, package_ref, billingFrequency=12)
    found = await listed(owner, user_ref)
    assert [each["package"]["ref"] for each in found] == [FREE, STARTER, PRO]
    for each in found:
        assert_shape(each, ACCOUNT_PACKAGE)
        assert_shape(each["package"], PACKAGE | {"urlID": TEXT_OR_NULL})
    assert [each["endDateTime"] is None for each in found] == [False, False, True]
    assert [each["billingPeriodMonths"] for each in found] == [1, 12, 12]
    assert found[0]["endDateTime"] == found[1]["startDateTime"]
    assert found[2]["package"]["capabilities"]["liveSites"] == 5


async def test_a_long_history_is_paginated(owner: httpx.AsyncClient, user: MakeUser) -> None:
    user_ref = await user()
    for package_ref in (STARTER, PRO, STARTER):
        await assign(owner, user_ref, package_ref)
    refs = [each["ref"] for each in await listed(owner, user_ref)]
    path = f"/users/{user_ref}/account-packages"
    assert await walk(owner, path) == [refs]
    assert await walk(owner, f"{path}?limit=2") == [refs[:2], refs[2:]]
    assert await walk(owner, f"{path}?limit=2&before={refs[3]}", "prev") == [refs[1:3], refs[:1]]


async def test_a_trial_has_an_end(other_brand: httpx.AsyncClient, user: MakeUser) -> None:
    user_ref = await user(OTHER_BRAND)
    await assign(other_brand, user_ref, TRIAL)
    trial = (await listed(other_brand, user_ref))[-1]
    ends = clock.now() + timedelta(days=14)
    assert trial["endDateTime"]["date"][:10] == f"{ends:%Y-%m-%d}"
    assert trial["deleteOnExpiry"] == 1


async def set_renewal(client: httpx.AsyncClient, user_ref: int, ref: int, **body: Any) -> httpx.Response:
    return await client.put(f"/users/{user_ref}/account-packages/{ref}", json=body)


async def test_a_package_is_set_not_to_renew(owner: httpx.AsyncClient, user: MakeUser) -> None:
    user_ref = await user()
    await assign(owner, user_ref, PRO, billingFrequency=12)
    ref = (await listed(owner, user_ref))[-1]["ref"]
    ending = (await set_renewal(owner, user_ref, ref, deleteOnExpiry=1)).json()["accountPackage"]
    assert (ending["deleteOnExpiry"], ending["endDateTime"]["date"][:4]) == (1, str(clock.now().year + 1))
    shown = (await owner.get(f"/users/{user_ref}")).json()["accountHolder"]
    assert (shown["nrtStatus"], shown["nrtDaysToExpiry"] in (364, 365, 366)) == (True, True)
    again = (await set_renewal(owner, user_ref, ref, deleteOnExpiry=0)).json()["accountPackage"]
    assert (again["deleteOnExpiry"], again["endDateTime"]) == (0, None)
    shown = (await owner.get(f"/users/{user_ref}")).json()["accountHolder"]
    assert (shown["nrtStatus"], shown["nrtDaysToExpiry"]) == (False, 0)


async def test_a_package_is_assigned_without_renewal(owner: httpx.AsyncClient, user: MakeUser) -> None:
    user_ref = await user()
    await assign(owner, user_ref, PRO, deleteOnExpiry=1)
    assert (await listed(owner, user_ref))[-1]["deleteOnExpiry"] == 1


async def test_free_ended_and_trial_packages_do_not_renew(
    owner: httpx.AsyncClient, other_brand: httpx.AsyncClient, user: MakeUser
) -> None:
    user_ref, trying = await user(), await user(OTHER_BRAND)
    await assign(owner, user_ref, PRO)
    await assign(owner, user_ref, FREE)
    await assign(other_brand, trying, TRIAL)
    refs = [each["ref"] for each in await listed(owner, user_ref)]
    trial = (await listed(other_brand, trying))[-1]["ref"]
    for client, holder, ref in ((owner, user_ref, refs[1]), (owner, user_ref, refs[2]), (other_brand, trying, trial)):
        response = await set_renewal(client, holder, ref, deleteOnExpiry=1)
        assert problem_in(response) == (409, "doesNotRenew")


@pytest.mark.parametrize("body", [{}, {"deleteOnExpiry": "yes"}, {"deleteOnExpiry": None}])
async def test_delete_on_expiry_is_required_and_validated(
    owner: httpx.AsyncClient, user: MakeUser, body: dict[str, Any]
) -> None:
    user_ref = await user()
    ref = (await listed(owner, user_ref))[-1]["ref"]
    response = await set_renewal(owner, user_ref, ref, **body)
    assert problem_in(response) == (400, "invalidDeleteOnExpiry")


async def test_account_packages_of_others(owner: httpx.AsyncClient, user: MakeUser, ledger: Ledger) -> None:
    user_ref, other = await user(), await user()
    ref = (await listed(owner, other))[-1]["ref"]
    for wrong in (ref, 999_999, "abc"):
        response = await owner.put(f"/users/{user_ref}/account-packages/{wrong}", json={"deleteOnExpiry": 1})
        assert problem_in(response) == (404, "accountPackageNotFound")
    response = await owner.put(f"/users/abc/account-packages/{ref}", json={"deleteOnExpiry": 1})
    assert problem_in(response) == (404, "userNotFound")


async def test_a_page_with_many_prices_is_cut_short_and_links_on(
    reseller: httpx.AsyncClient, user: MakeUser, owner_connection: OwnerConnection
) -> None:
    """A reseller's prices are returned with each package, and 1,201 periods in each currency may have one."""
    user_ref = await user(reseller_ref=RESELLER_REF)
    await make_prices(owner_connection, PRO)
    refs = [await assign_package(owner_connection, OWN_BRAND, user_ref, PRO) for _ in range(10)]
    path = f"/users/{user_ref}/account-packages"
    assert len((await reseller.get(path)).content) < MAX_LIST_BYTES + 1_500_000
    pages = await walk(reseller, path)
    assert len(pages) == 2
    assert [ref for page in pages for ref in page][1:] == refs
    backwards = await walk(reseller, f"{path}?before={refs[-1]}", "prev")
    assert len(backwards) == 2
    assert [ref for page in reversed(backwards) for ref in page][1:] == refs[:-1]
