"""Domains renew or end with their packages."""

from datetime import timedelta
from typing import Any

import httpx
import pytest

from sitewright.accounts.account_packages.sweep import service as sweep
from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.domains.account_domains.conftest import MakeUser, buy, get_domain, listed, order, registered_names
from tests.support.ledger import Ledger
from tests.support.packages import DOMAIN, FREE, PRO, assign
from tests.support.queued import Worker
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection

YEAR = timedelta(days=366).total_seconds()


def year_of(domain: dict[str, Any]) -> int:
    return int(domain["expiryDate"]["date"][:4])


async def test_a_domain_renews_with_a_charge_and_at_the_registrar(
    owner: httpx.AsyncClient,
    user: MakeUser,
    resources: Resources,
    ledger: Ledger,
    worker: Worker,
    owner_connection: OwnerConnection,
) -> None:
    user_ref = await user()
    ref = await buy(owner, user_ref)
    await worker.work()
    before = await get_domain(owner, ref)
    clock.shift(YEAR)
    for _ in range(2):
        await sweep.do_due_changes(resources)
    domain = await get_domain(owner, ref)
    assert (year_of(domain) - year_of(before), domain["active"]) == (1, 1)
    assert await ledger.events(user_ref) == ["subscription ->4", "renewal 4>4"]
    assert await ledger.charges(user_ref) == ["12.00 USD for 12"] * 2
    assert await ledger.domain_mails(user_ref) == ["domainOrdered joes-bakery.com", "domainRenewed joes-bakery.com"]
    await worker.work()
    assert await registered_names(owner_connection) == {"joes-bakery.com": domain["expiryDate"]["date"][:10]}


async def test_every_missed_period_is_charged_and_renewed(
    owner: httpx.AsyncClient, user: MakeUser, resources: Resources, ledger: Ledger, worker: Worker
) -> None:
    user_ref = await user()
    ref = await buy(owner, user_ref)
    before = await get_domain(owner, ref)
    clock.shift(3 * YEAR)
    await sweep.do_due_changes(resources)
    await worker.work()
    assert year_of(await get_domain(owner, ref)) - year_of(before) == 3
    assert len(await ledger.charges(user_ref)) == 4


async def test_without_auto_renew_it_ends_and_its_name_is_available(
    owner: httpx.AsyncClient,
    user: MakeUser,
    resources: Resources,
    ledger: Ledger,
    worker: Worker,
    owner_connection: OwnerConnection,
) -> None:
    user_ref = await user()
    ref = await buy(owner, user_ref, autoRenew=0)
    await worker.work()
    mailbox = f"/users/{user_ref}/domains/{ref}/mailboxes/info"
    await owner.put(mailbox, json={"password": "correct horse"})
    clock.shift(YEAR)
    await sweep.do_due_changes(resources)
    domain = await get_domain(owner, ref)
    assert (domain["active"], domain["autoRenew"]) == (0, 0)
    assert await ledger.events(user_ref) == ["subscription ->4", "cancellation (expired) 4>-"]
    assert await ledger.domain_mails(user_ref) == ["domainOrdered joes-bakery.com", "domainEnded joes-bakery.com"]
    assert (await ledger.facts_of_last_mail(user_ref))["beside"] == "yes"
    assert problem_in(await owner.put(mailbox, json={"password": "correct horse"})) == (409, "domainNotActive")
    await worker.work()
    assert await registered_names(owner_connection) == {}
    assert await owner_connection.fetchval("select count(*) from mailboxes") == 0
    assert (await order(owner, user_ref)).status_code == 201
    assert len(await listed(owner, user_ref)) == 2


async def test_a_free_domain_renews_free_while_the_subscription_includes_it(
    owner: httpx.AsyncClient, user: MakeUser, resources: Resources, ledger: Ledger
) -> None:
    user_ref = await user()
    await assign(owner, user_ref, PRO, billingFrequency=12)
    ref = await buy(owner, user_ref, isFree=1)
    before = await get_domain(owner, ref)
    clock.shift(YEAR)
    await sweep.do_due_changes(resources)
    [domain] = await listed(owner, user_ref)
    assert (domain["isFree"], year_of(domain) - year_of(before)) == (True, 1)
    assert "12.00 USD for 12" not in await ledger.charges(user_ref)
    assert (await ledger.events(user_ref))[-2:] == ["renewal 3>3", "renewal 4>4"]


async def test_a_free_domain_that_is_no_longer_included_renews_at_its_price(
    owner: httpx.AsyncClient, user: MakeUser, resources: Resources, ledger: Ledger
) -> None:
    user_ref = await user()
    await assign(owner, user_ref, PRO, billingFrequency=1)
    await buy(owner, user_ref, isFree=1)
    await assign(owner, user_ref, FREE)
    [domain] = await listed(owner, user_ref)
    assert domain["isFree"] is True
    clock.shift(YEAR)
    await sweep.do_due_changes(resources)
    [domain] = await listed(owner, user_ref)
    assert domain["isFree"] is False
    assert (await ledger.charges(user_ref))[-1] == "12.00 USD for 12"
    assert (await owner.get(f"/users/{user_ref}")).json()["accountHolder"]["usedFreeDomains"] == 0


async def test_of_several_free_domains_the_oldest_stay_free(
    owner: httpx.AsyncClient, user: MakeUser, resources: Resources, owner_connection: OwnerConnection
) -> None:
    await owner_connection.execute(
        "update packages set capabilities = capabilities || '{\"freeDomains\": 2}' where ref = $1", PRO
    )
    user_ref = await user()
    await assign(owner, user_ref, PRO, billingFrequency=12)
    for name in ("first.com", "second.com"):
        await buy(owner, user_ref, name, isFree=1)
    await owner_connection.execute(
        "update packages set capabilities = capabilities || '{\"freeDomains\": 1}' where ref = $1", PRO
    )
    clock.shift(YEAR)
    await sweep.do_due_changes(resources)
    assert [domain["isFree"] for domain in await listed(owner, user_ref)] == [True, False]


async def test_a_domain_ends_when_its_product_no_longer_renews(
    owner: httpx.AsyncClient, user: MakeUser, resources: Resources, ledger: Ledger, owner_connection: OwnerConnection
) -> None:
    user_ref = await user()
    ref = await buy(owner, user_ref)
    await owner_connection.execute("update domain_products set renewal_active = 0 where package_ref = $1", DOMAIN)
    clock.shift(YEAR)
    await sweep.do_due_changes(resources)
    assert (await get_domain(owner, ref))["active"] == 0
    assert (await ledger.events(user_ref))[-1] == "cancellation (expired) 4>-"


@pytest.mark.parametrize("how", ["delete", "anonymise"])
async def test_a_domain_of_a_deleted_holder_stays_until_it_expires(
    owner: httpx.AsyncClient,
    user: MakeUser,
    resources: Resources,
    ledger: Ledger,
    worker: Worker,
    owner_connection: OwnerConnection,
    how: str,
) -> None:
    user_ref = await user()
    await buy(owner, user_ref)
    await worker.work()
    if how == "delete":
        await owner.delete(f"/users/{user_ref}")
    else:
        await owner.post(f"/users/{user_ref}/anonymise")
    await worker.work()
    assert list(await registered_names(owner_connection)) == ["joes-bakery.com"]
    clock.shift(YEAR)
    await sweep.do_due_changes(resources)
    await worker.work()
    assert await registered_names(owner_connection) == {}
    assert len(await ledger.charges(user_ref)) == 1
    kept = await owner_connection.fetchval("select domain from account_domains where user_ref = $1", user_ref)
    assert kept == ("joes-bakery.com" if how == "delete" else "anonymised")


async def test_a_restored_holders_domain_renews_again(
    owner: httpx.AsyncClient, user: MakeUser, resources: Resources
) -> None:
    user_ref = await user()
    ref = await buy(owner, user_ref)
    await owner.delete(f"/users/{user_ref}")
    await owner.put(f"/users/{user_ref}", json={"deleted": 0})
    clock.shift(YEAR)
    await sweep.do_due_changes(resources)
    assert (await get_domain(owner, ref))["autoRenew"] == 1


async def test_assigning_the_same_package_again_moves_its_domain(
    owner: httpx.AsyncClient, user: MakeUser, owner_connection: OwnerConnection, worker: Worker
) -> None:
    await owner_connection.execute("update packages set allow_multiple_purchase = false where ref = $1", DOMAIN)
    user_ref = await user()
    ref = await buy(owner, user_ref)
    await worker.work()
    [before] = await listed(owner, user_ref)
    clock.shift(YEAR / 2)
    await assign(owner, user_ref, DOMAIN, billingFrequency=12)
    [after] = await listed(owner, user_ref)
    assert (after["ref"], after["active"]) == (ref, 1)
    assert after["accountPackage"]["ref"] > before["accountPackage"]["ref"]
    assert after["expiryDate"]["date"] > before["expiryDate"]["date"]
