"""PUT and DELETE of an account domain."""

from datetime import timedelta
from typing import Any

import httpx
import pytest

from sitewright.accounts.account_packages.sweep import service as sweep
from sitewright.domains.account_domains.jobs import Domains, NotReleasedYet, reconcile
from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.domains.account_domains.conftest import MakeUser, buy, get_domain, listed, order, registered_names
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.ledger import Ledger
from tests.support.packages import PRO, assign
from tests.support.queued import Worker
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection

AFTER_A_YEAR = timedelta(days=367).total_seconds()


async def set_auto_renew(client: httpx.AsyncClient, ref: int, value: Any) -> httpx.Response:
    return await client.put(f"/account-domains/{ref}", json={"autoRenew": value})


async def test_auto_renew_is_that_of_the_account_package(owner: httpx.AsyncClient, user: MakeUser) -> None:
    user_ref = await user()
    ref = await buy(owner, user_ref)
    response = await set_auto_renew(owner, ref, 0)
    assert (response.status_code, response.json()["accountDomain"]) == (200, await get_domain(owner, ref))
    [domain] = await listed(owner, user_ref)
    assert (domain["autoRenew"], domain["accountPackage"]["deleteOnExpiry"]) == (0, 1)
    assert domain["accountPackage"]["endDateTime"] == domain["expiryDate"]
    path = f"/users/{user_ref}/account-packages/{domain['accountPackage']['ref']}"
    assert (await owner.put(path, json={"deleteOnExpiry": 0})).status_code == 200
    assert (await get_domain(owner, ref))["autoRenew"] == 1


@pytest.mark.parametrize("body", [{}, {"autoRenew": "often"}, {"autoRenew": None}, {"autoRenew": 2}])
async def test_bad_changes(owner: httpx.AsyncClient, user: MakeUser, body: dict[str, Any]) -> None:
    ref = await buy(owner, await user())
    before = await get_domain(owner, ref)
    assert problem_in(await owner.put(f"/account-domains/{ref}", json=body)) == (400, "invalidAutoRenew")
    assert await get_domain(owner, ref) == before
    assert problem_in(await owner.put("/account-domains/999999", json=body)) == (404, "accountDomainNotFound")


async def test_auto_renew_cannot_be_set_on_an_expired_domain(
    owner: httpx.AsyncClient, user: MakeUser, resources: Resources
) -> None:
    ref = await buy(owner, await user(), autoRenew=0)
    clock.shift(AFTER_A_YEAR)
    assert problem_in(await set_auto_renew(owner, ref, 1)) == (409, "doesNotRenew")
    await sweep.do_due_changes(resources)
    assert problem_in(await set_auto_renew(owner, ref, 1)) == (409, "doesNotRenew")


async def test_auto_renew_cannot_be_set_when_the_product_does_not_renew(
    owner: httpx.AsyncClient, user: MakeUser, owner_connection: OwnerConnection
) -> None:
    ref = await buy(owner, await user())
    await owner_connection.execute("update domain_products set renewal_active = 0")
    assert (await set_auto_renew(owner, ref, 0)).status_code == 200
    assert problem_in(await set_auto_renew(owner, ref, 1)) == (409, "doesNotRenew")


async def test_deleting_ends_package_mailboxes_and_registration(
    owner: httpx.AsyncClient, user: MakeUser, ledger: Ledger, worker: Worker, owner_connection: OwnerConnection
) -> None:
    user_ref = await user()
    await assign(owner, user_ref, PRO)
    ref = await buy(owner, user_ref, isFree=1)
    await worker.work()
    mailbox = f"/users/{user_ref}/domains/{ref}/mailboxes/info"
    assert (await owner.put(mailbox, json={"password": "correct horse"})).status_code == 200
    assert (await owner.delete(f"/account-domains/{ref}")).status_code == 204
    assert problem_in(await owner.get(f"/account-domains/{ref}")) == (404, "accountDomainNotFound")
    assert problem_in(await owner.delete(f"/account-domains/{ref}")) == (404, "accountDomainNotFound")
    assert await listed(owner, user_ref) == []
    assert (await ledger.events(user_ref))[-1] == "cancellation 4>-"
    assert (await ledger.domain_mails(user_ref))[-1] == "domainEnded joes-bakery.com"
    assert await ledger.current(user_ref) == PRO
    assert (await owner.get(f"/users/{user_ref}")).json()["accountHolder"]["usedFreeDomains"] == 0
    await worker.work()
    assert await registered_names(owner_connection) == {}
    assert await owner_connection.fetchval("select count(*) from mailboxes") == 0


async def test_the_name_is_available_before_the_registrar_has_released_it(
    owner: httpx.AsyncClient, other_brand: httpx.AsyncClient, user: MakeUser, worker: Worker, resources: Resources
) -> None:
    ref = await buy(owner, await user())
    await worker.work()
    await owner.delete(f"/account-domains/{ref}")
    new = await buy(other_brand, await user(OTHER_BRAND), packageRef=10)
    with pytest.raises(NotReleasedYet):
        await reconcile(Domains(OTHER_BRAND, [new]), resources)
    assert (await get_domain(other_brand, new))["active"] == 0
    await reconcile(Domains(OWN_BRAND, [ref]), resources)
    await reconcile(Domains(OTHER_BRAND, [new]), resources)
    assert (await get_domain(other_brand, new))["active"] == 1


async def test_a_domain_deleted_before_it_was_registered(
    owner: httpx.AsyncClient, user: MakeUser, worker: Worker, owner_connection: OwnerConnection
) -> None:
    user_ref = await user()
    ref = await buy(owner, user_ref)
    await owner.delete(f"/account-domains/{ref}")
    await worker.work()
    assert await registered_names(owner_connection) == {}
    assert (await order(owner, user_ref)).status_code == 201


async def test_an_expired_domain_can_be_deleted(
    owner: httpx.AsyncClient, user: MakeUser, resources: Resources, ledger: Ledger
) -> None:
    user_ref = await user()
    ref = await buy(owner, user_ref, autoRenew=0)
    clock.shift(AFTER_A_YEAR)
    await sweep.do_due_changes(resources)
    events = await ledger.events(user_ref)
    assert (await owner.delete(f"/account-domains/{ref}")).status_code == 204
    assert await listed(owner, user_ref) == []
    assert await ledger.events(user_ref) == events


async def test_deleting_a_domain_that_is_due_renews_it_first(
    owner: httpx.AsyncClient, user: MakeUser, ledger: Ledger
) -> None:
    user_ref = await user()
    ref = await buy(owner, user_ref)
    clock.shift(AFTER_A_YEAR)
    assert (await owner.delete(f"/account-domains/{ref}")).status_code == 204
    assert await ledger.events(user_ref) == ["subscription ->4", "renewal 4>4", "cancellation 4>-"]
