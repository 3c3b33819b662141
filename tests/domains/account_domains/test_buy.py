"""POST /users/:ref/account-domains: free or paid, atomically."""

import asyncio
from typing import Any

import httpx
import pytest

from tests.domains.account_domains.conftest import (
    MakeUser,
    ScriptedRegistrar,
    buy,
    get_domain,
    listed,
    order,
    registered_names,
)
from tests.support.cast import OTHER_BRAND, RESELLER_REF
from tests.support.ledger import Ledger
from tests.support.packages import DOMAIN, PRO, assign
from tests.support.queued import Worker
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection


async def test_a_paid_domain(
    owner: httpx.AsyncClient, user: MakeUser, ledger: Ledger, worker: Worker, owner_connection: OwnerConnection
) -> None:
    user_ref = await user()
    ref = await buy(owner, user_ref, "Joes-Bakery.COM.")
    assert (await get_domain(owner, ref))["active"] == 0
    assert await ledger.events(user_ref) == ["subscription ->4"]
    assert await ledger.charges(user_ref) == ["12.00 USD for 12"]
    assert await ledger.domain_mails(user_ref) == ["domainOrdered joes-bakery.com"]
    assert await ledger.current(user_ref) == 1
    await worker.work()
    domain = await get_domain(owner, ref)
    assert (domain["active"], domain["domainName"]) == (1, "joes-bakery.com")
    assert await registered_names(owner_connection) == {"joes-bakery.com": domain["expiryDate"]["date"][:10]}


async def test_a_free_domain_of_the_subscription(
    owner: httpx.AsyncClient, user: MakeUser, ledger: Ledger, worker: Worker
) -> None:
    user_ref = await user()
    await assign(owner, user_ref, PRO, billingFrequency=1)
    await buy(owner, user_ref, isFree=1)
    await worker.work()
    [domain] = await listed(owner, user_ref)
    assert (domain["isFree"], domain["active"], domain["autoRenew"]) == (True, 1, 1)
    assert domain["accountPackage"]["billingPeriodMonths"] == 12
    assert await ledger.charges(user_ref) == ["14.99 USD for 1"]
    assert await ledger.events(user_ref) == ["subscription 1>3", "change ->4"]
    assert (await owner.get(f"/users/{user_ref}")).json()["accountHolder"]["usedFreeDomains"] == 1


async def test_free_domains_are_limited_by_the_subscription(
    owner: httpx.AsyncClient, user: MakeUser, ledger: Ledger
) -> None:
    on_free, on_pro = await user(), await user()
    assert problem_in(await order(owner, on_free, isFree=1)) == (403, "packageLimitReached")
    await assign(owner, on_pro, PRO)
    orders = [order(owner, on_pro, f"shop{number}.com", isFree=1) for number in range(4)]
    responses = await asyncio.gather(*orders)
    assert sorted(response.status_code for response in responses) == [201, 403, 403, 403]
    before = await ledger.rows()
    response = await order(owner, on_pro, "one-more.com", isFree=1)
    assert response.json()["errors"] == {
        "freeDomains": {"packageLimitReached": "the package allows 1, and 1 are in use"}
    }
    assert await ledger.rows() == before
    await buy(owner, on_pro, "one-more.com")


async def test_a_product_can_be_named_by_its_own_ref(owner: httpx.AsyncClient, user: MakeUser) -> None:
    user_ref = await user()
    product_ref = (await owner.get(f"/packages/{DOMAIN}")).json()["package"]["domainProduct"]["ref"]
    ref = await buy(owner, user_ref, packageRef=None, domainProductRef=str(product_ref))
    assert (await get_domain(owner, ref))["domainProduct"]["ref"] == product_ref


async def test_a_resellers_price_is_charged(owner: httpx.AsyncClient, user: MakeUser, ledger: Ledger) -> None:
    user_ref = await user(reseller_ref=RESELLER_REF)
    price = {"packageRef": DOMAIN, "billingPeriodMonths": 12, "currencyRef": 1, "price": 20, "offerPrice": 15}
    currency = (await owner.get(f"/packages/{DOMAIN}")).json()["package"]["defaultCurrencyRef"]
    response = await owner.post(f"/resellers/{RESELLER_REF}/prices", json=price | {"currencyRef": currency})
    assert response.status_code == 201
    await buy(owner, user_ref)
    assert await ledger.charges(user_ref) == ["15.00 USD for 12"]


async def test_names_in_other_alphabets(owner: httpx.AsyncClient, user: MakeUser) -> None:
    ref = await buy(owner, await user(), "Bäckerei。com")
    assert (await get_domain(owner, ref))["domainName"] == "xn--bckerei-5wa.com"


BAD: list[tuple[dict[str, Any], str]] = [
    ({"domainName": "joe's bakery.com"}, "invalidDomain"),
    ({"domainName": ""}, "invalidDomain"),
    ({"domainName": "com"}, "invalidDomain"),
    ({"domainName": "www.joes-bakery.com"}, "invalidDomain"),
    ({"domainName": "joes-bakery.net"}, "invalidDomain"),
    ({"domainName": "joes-bakerycom"}, "invalidDomain"),
    ({"domainName": "joes-bakery.com/shop"}, "invalidDomain"),
    ({"domainName": "127.0.0.1"}, "invalidDomain"),
    ({"domainName": f"{'a' * 64}.com"}, "invalidDomain"),
    ({"domainName": "a" * 256}, "invalidDomainName"),
    ({"domainName": None}, "invalidDomainName"),
    ({"domainName": 7}, "invalidDomainName"),
    ({"packageRef": None}, "invalidPackageRef"),
    ({"packageRef": "four"}, "invalidPackageRef"),
    ({"packageRef": 0}, "invalidPackageRef"),
    ({"packageRef": PRO}, "invalidPackageRef"),
    ({"packageRef": 10}, "invalidPackageRef"),
    ({"packageRef": 999_999}, "invalidPackageRef"),
    ({"packageRef": None, "domainProductRef": 999_999}, "invalidDomainProductRef"),
    ({"domainProductRef": 999_999}, "invalidPackageRef"),
    ({"autoRenew": "often"}, "invalidAutoRenew"),
    ({"isFree": 2}, "invalidIsFree"),
    ({"domainName": "-", "packageRef": 1.0, "autoRenew": 3}, "invalidRequest"),
]


@pytest.mark.parametrize(("body", "code"), BAD)
async def test_bad_input_changes_nothing(
    owner: httpx.AsyncClient, user: MakeUser, ledger: Ledger, body: dict[str, Any], code: str
) -> None:
    user_ref = await user()
    before = await ledger.rows()
    assert problem_in(await order(owner, user_ref, **body)) == (400, code)
    assert await ledger.rows() == before
    assert await listed(owner, user_ref) == []


async def test_what_a_product_does_not_offer(
    owner: httpx.AsyncClient, other_brand: httpx.AsyncClient, user: MakeUser, owner_connection: OwnerConnection
) -> None:
    theirs = await user(OTHER_BRAND, package_ref=9)
    assert problem_in(await order(other_brand, theirs, packageRef=10, isFree=1)) == (400, "invalidIsFree")
    await owner_connection.execute("update domain_products set renewal_active = 0 where package_ref = 4")
    user_ref = await user()
    assert problem_in(await order(owner, user_ref, autoRenew=1)) == (400, "invalidAutoRenew")
    assert (await get_domain(owner, await buy(owner, user_ref)))["autoRenew"] == 0
    await owner_connection.execute("update domain_products set active = 0 where package_ref = 4")
    assert problem_in(await order(owner, user_ref, "other.com")) == (400, "invalidPackageRef")


async def test_a_package_that_can_be_bought_once(
    owner: httpx.AsyncClient, user: MakeUser, ledger: Ledger, owner_connection: OwnerConnection
) -> None:
    await owner_connection.execute("update packages set allow_multiple_purchase = false where ref = 4")
    user_ref = await user()
    await buy(owner, user_ref)
    before = await ledger.rows()
    assert problem_in(await order(owner, user_ref, "other.com")) == (409, "packageAlreadyHeld")
    assert await ledger.rows() == before


async def test_a_name_has_one_owner_in_the_whole_environment(
    owner: httpx.AsyncClient, other_brand: httpx.AsyncClient, user: MakeUser, ledger: Ledger
) -> None:
    users = [await user() for _ in range(3)]
    theirs = await user(OTHER_BRAND)
    orders = [order(owner, user_ref) for user_ref in users] + [order(other_brand, theirs, packageRef=10)]
    responses = await asyncio.gather(*orders)
    assert sorted(response.status_code for response in responses) == [201, 409, 409, 409]
    assert {response.json()["code"] for response in responses if response.status_code == 409} == {"domainTaken"}
    charged = [len(await ledger.charges(user_ref)) for user_ref in (*users, theirs)]
    assert sum(charged) == 1


async def test_names_of_brands_and_of_others_sites_are_taken(
    owner: httpx.AsyncClient, user: MakeUser, owner_connection: OwnerConnection, worker: Worker
) -> None:
    user_ref, other = await user(), await user()
    await owner_connection.execute("update brands set domain = 'sites.southgate.com' where brand_ref = 2")
    assert problem_in(await order(owner, user_ref, "southgate.com")) == (409, "domainTaken")
    site = {"accountHolderRef": other, "brandRef": 1, "domain": "www.florist.com"}
    assert (await owner.post("/sites", json=site)).status_code == 201
    assert problem_in(await order(owner, user_ref, "florist.com")) == (409, "domainTaken")
    await buy(owner, other, "florist.com")


async def test_availability_is_checked_before_the_order(
    owner: httpx.AsyncClient, user: MakeUser, ledger: Ledger, registrar: ScriptedRegistrar
) -> None:
    user_ref = await user()
    registrar.taken = {"joes-bakery.com"}
    before = await ledger.rows()
    assert problem_in(await order(owner, user_ref)) == (409, "domainTaken")
    assert await ledger.rows() == before
    registrar.error = TimeoutError()
    await buy(owner, user_ref)


async def test_a_brand_that_does_not_exist_has_no_account_holder(system_owner: httpx.AsyncClient) -> None:
    system_owner.headers["X-Brand-Ref"] = "1212069"
    assert problem_in(await order(system_owner, 1)) == (404, "userNotFound")


async def test_deleted_and_anonymized_users_cannot_buy(
    owner: httpx.AsyncClient, user: MakeUser, owner_connection: OwnerConnection
) -> None:
    deleted, anonymized = await user(), await user()
    await owner.delete(f"/users/{deleted}")
    await owner.post(f"/users/{anonymized}/anonymise")
    assert problem_in(await order(owner, deleted)) == (404, "userNotFound")
    assert problem_in(await order(owner, 999_999)) == (404, "userNotFound")
    assert problem_in(await order(owner, anonymized)) == (409, "anonymised")
    suspended = await user()
    await owner.post(f"/users/{suspended}/suspend")
    await buy(owner, suspended)


async def test_an_idempotency_key_buys_once(owner: httpx.AsyncClient, user: MakeUser, ledger: Ledger) -> None:
    user_ref = await user()
    body = {"domainName": "joes-bakery.com", "packageRef": DOMAIN}
    headers = {"Idempotency-Key": "buy once"}
    path = f"/users/{user_ref}/account-domains"
    first, second = [await owner.post(path, json=body, headers=headers) for _ in range(2)]
    assert (first.status_code, second.status_code, first.json()) == (201, 201, second.json())
    assert len(await ledger.charges(user_ref)) == 1
