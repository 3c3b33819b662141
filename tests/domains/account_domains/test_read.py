"""Parts 2.12 and 4.4 of the specification: reading one account domain and listing them, and access."""

from typing import Any

import asyncpg
import httpx
import pytest

from sitewright.kit import clock
from sitewright.kit.paging import MAX_LIST_BYTES
from sitewright.kit.timestamps import timestamp
from tests.accounts.users.shapes import TS
from tests.catalogue.packages.shapes import DOMAIN_PRODUCT, PACKAGE, SUPPLIER, assert_shape
from tests.domains.account_domains.conftest import MakeUser, buy, get_domain, listed
from tests.support.account_domains import make_account_domain
from tests.support.cast import OTHER_BRAND, OWN_BRAND, RESELLER_REF
from tests.support.packages import DOMAIN
from tests.support.paging import walk
from tests.support.prices import make_prices
from tests.support.queued import Worker
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection

GOT: dict[str, Any] = {
    **dict.fromkeys(("ref", "active", "autoRenew"), (int,)),
    **dict.fromkeys(("domainRegistered", "expiryDate", "accountHolder", "domainProduct", "dnsProvider"), (dict,)),
    "domainName": (str,),
}
LISTED: dict[str, Any] = {
    **dict.fromkeys(("ref", "active", "autoRenew"), (int,)),
    **dict.fromkeys(("domainRegistered", "expiryDate", "renewalDate", "domainProduct", "accountPackage"), (dict,)),
    "name": (str,),
    "isFree": (bool,),
}
HOLDER = {"ref": (int,)} | dict.fromkeys(("firstName", "lastName", "username", "email"), (str,))
ACCOUNT_PACKAGE: dict[str, Any] = {
    **dict.fromkeys(("ref", "deleteOnExpiry", "billingPeriodMonths"), (int,)),
    **dict.fromkeys(("startDateTime", "updated", "package"), (dict,)),
    "endDateTime": (dict, type(None)),
}


async def test_one_domain_with_every_field(owner: httpx.AsyncClient, user: MakeUser, worker: Worker) -> None:
    user_ref = await user(first_name="Jo")
    ref = await buy(owner, user_ref)
    await worker.work()
    domain = await get_domain(owner, ref)
    assert_shape(domain, GOT)
    assert_shape(domain["accountHolder"], HOLDER)
    assert_shape(domain["domainProduct"], DOMAIN_PRODUCT)
    assert_shape(domain["domainProduct"]["productSupplier"], SUPPLIER)
    for name in ("domainRegistered", "expiryDate"):
        assert_shape(domain[name], TS)
    assert (domain["domainName"], domain["active"], domain["autoRenew"]) == ("joes-bakery.com", 1, 1)
    assert (domain["accountHolder"]["ref"], domain["accountHolder"]["firstName"]) == (user_ref, "Jo")
    assert domain["dnsProvider"] == {"ref": domain["domainProduct"]["productSupplier"]["ref"]}


async def test_it_is_paid_for_by_a_package_of_its_own_user(
    owner: httpx.AsyncClient, user: MakeUser, owner_connection: OwnerConnection
) -> None:
    ref, other = await buy(owner, await user(username="jo")), await user(username="joan")
    with pytest.raises(asyncpg.ForeignKeyViolationError):
        await owner_connection.execute(
            "update account_domains d set account_package_ref = a.ref from account_packages a"
            " where d.ref = $1 and a.user_ref = $2",
            ref,
            other,
        )


async def test_a_list_with_every_field(owner: httpx.AsyncClient, user: MakeUser) -> None:
    user_ref = await user()
    assert await listed(owner, user_ref) == []
    refs = [await buy(owner, user_ref, f"shop{number}.com") for number in range(3)]
    domains = await listed(owner, user_ref)
    assert [domain["ref"] for domain in domains] == refs
    for domain in domains:
        assert_shape(domain, LISTED)
        assert_shape(domain["domainProduct"], DOMAIN_PRODUCT)
        assert_shape(domain["accountPackage"], ACCOUNT_PACKAGE)
        assert_shape(domain["accountPackage"]["package"], PACKAGE | {"urlID": (str,)})
        assert domain["renewalDate"] == domain["expiryDate"]
    assert len({domain["accountPackage"]["ref"] for domain in domains}) == 3
    assert domains[0]["accountPackage"]["package"]["ref"] == DOMAIN


async def test_times_are_in_the_brands_time_zone(
    owner: httpx.AsyncClient, user: MakeUser, owner_connection: OwnerConnection
) -> None:
    await owner_connection.execute("update brands set time_zone = 'America/New_York' where brand_ref = 1")
    domain = await get_domain(owner, await buy(owner, await user()))
    assert domain["domainRegistered"]["timezone"] == "America/New_York"
    assert domain["domainRegistered"]["date"][:15] == timestamp(clock.now(), "America/New_York").date[:15]


async def test_a_reseller_sees_and_buys_for_its_own_users_only(
    owner: httpx.AsyncClient, reseller: httpx.AsyncClient, user: MakeUser
) -> None:
    own, others = await user(reseller_ref=RESELLER_REF), await user()
    ref = await buy(reseller, own)
    assert (await get_domain(reseller, ref))["accountHolder"]["ref"] == own
    assert [domain["ref"] for domain in await listed(reseller, own)] == [ref]
    foreign = await buy(owner, others, "elsewhere.com")
    assert problem_in(await reseller.get(f"/account-domains/{foreign}")) == (404, "accountDomainNotFound")
    assert problem_in(await reseller.put(f"/account-domains/{foreign}", json={"autoRenew": 0}))[0] == 404
    assert problem_in(await reseller.delete(f"/account-domains/{foreign}")) == (404, "accountDomainNotFound")
    assert problem_in(await reseller.get(f"/users/{others}/account-domains")) == (404, "userNotFound")
    assert (await reseller.delete(f"/account-domains/{ref}")).status_code == 204


async def test_domains_of_deleted_users_and_other_brands_are_not_found(
    owner: httpx.AsyncClient, other_brand: httpx.AsyncClient, user: MakeUser
) -> None:
    theirs = await user(OTHER_BRAND)
    foreign = await buy(other_brand, theirs, packageRef=10)
    assert problem_in(await owner.get(f"/account-domains/{foreign}")) == (404, "accountDomainNotFound")
    await other_brand.delete(f"/users/{theirs}")
    assert problem_in(await other_brand.get(f"/account-domains/{foreign}")) == (404, "accountDomainNotFound")
    assert problem_in(await other_brand.get("/account-domains/0")) == (404, "accountDomainNotFound")
    assert problem_in(await other_brand.get("/account-domains/abc")) == (404, "accountDomainNotFound")


async def test_domains_are_listed_page_by_page(
    reseller: httpx.AsyncClient, user: MakeUser, owner_connection: OwnerConnection
) -> None:
    user_ref = await user(reseller_ref=RESELLER_REF)
    refs = [
        await make_account_domain(owner_connection, OWN_BRAND, user_ref, f"{number}.example") for number in range(10)
    ]
    path = f"/users/{user_ref}/account-domains"
    assert await walk(reseller, path) == [refs]
    assert await walk(reseller, f"{path}?limit=4") == [refs[:4], refs[4:8], refs[8:]]
    assert await walk(reseller, f"{path}?limit=2&before={refs[3]}", "prev") == [refs[1:3], refs[:1]]
    await make_prices(owner_connection, DOMAIN)
    assert len((await reseller.get(path)).content) < MAX_LIST_BYTES + 1_500_000
    pages = await walk(reseller, path)
    assert len(pages) == 2
    assert [ref for page in pages for ref in page] == refs
