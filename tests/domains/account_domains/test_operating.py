"""The operator's commands `sitewright domains list`, `show`, `renew` and `retry`."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from sitewright.accounts.account_packages.errors import DoesNotRenew
from sitewright.domains.account_domains.errors import AccountDomainNotFound
from sitewright.domains.account_domains.operating.service import list_domains, renew_domain, retry_domains, show_domain
from sitewright.kit.resources import Resources
from tests.domains.account_domains.conftest import MakeUser, buy, get_domain, listed, registered_names
from tests.support.cast import OTHER_BRAND, OWN_BRAND, TESTER
from tests.support.ledger import Ledger
from tests.support.packages import PRO, assign
from tests.support.queued import Worker
from tests.support.service import run_command
from tests.support.users import OwnerConnection


async def test_domains_are_listed_for_all_brands_or_for_one(
    owner: httpx.AsyncClient, other_brand: httpx.AsyncClient, user: MakeUser, resources: Resources
) -> None:
    for name in ("first.com", "second.com"):
        await buy(owner, await user(), name)
    await buy(other_brand, await user(OTHER_BRAND), "third.com", packageRef=10)

    async def names(brand_ref: int | None, limit: int = 100) -> list[str]:
        found = await list_domains(resources, brand_ref, failed_only=False, limit=limit)
        return [each.domain for each in found]

    assert await names(None) == ["second.com", "first.com", "third.com"]
    assert (await names(OTHER_BRAND), await names(None, 1)) == (["third.com"], ["second.com"])


async def test_renewing_early(
    owner: httpx.AsyncClient,
    user: MakeUser,
    resources: Resources,
    ledger: Ledger,
    worker: Worker,
    owner_connection: OwnerConnection,
) -> None:
    user_ref = await user()
    ref = await buy(owner, user_ref)
    before = await get_domain(owner, ref)
    await renew_domain(resources, TESTER, ref)
    after = await get_domain(owner, ref)
    assert int(after["expiryDate"]["date"][:4]) == int(before["expiryDate"]["date"][:4]) + 1
    assert await ledger.charges(user_ref) == ["12.00 USD for 12"] * 2
    assert await ledger.events(user_ref) == ["subscription ->4", "renewal 4>4"]
    await worker.work()
    assert await registered_names(owner_connection) == {"joes-bakery.com": after["expiryDate"]["date"][:10]}


async def test_a_free_domain_is_renewed_free(
    owner: httpx.AsyncClient, user: MakeUser, resources: Resources, ledger: Ledger
) -> None:
    user_ref = await user()
    await assign(owner, user_ref, PRO, billingFrequency=1)
    await renew_domain(resources, TESTER, await buy(owner, user_ref, isFree=1))
    assert await ledger.charges(user_ref) == ["14.99 USD for 1"]
    assert [domain["isFree"] for domain in await listed(owner, user_ref)] == [True]


async def test_domains_that_cannot_be_renewed(owner: httpx.AsyncClient, user: MakeUser, resources: Resources) -> None:
    user_ref = await user()
    ref = await buy(owner, user_ref)
    await owner.post(f"/users/{user_ref}/anonymise")
    with pytest.raises(DoesNotRenew):
        await renew_domain(resources, TESTER, ref)
    await owner.delete(f"/account-domains/{ref}")
    for unknown in (ref, 999_999):
        with pytest.raises(AccountDomainNotFound):
            await renew_domain(resources, TESTER, unknown)
    assert (await show_domain(resources, ref)).deleted_at is not None
    assert await retry_domains(resources, TESTER, ref, None) == 1


async def test_the_commands(
    owner: httpx.AsyncClient, user: MakeUser, worker: Worker, tmp_path: Path, database_url: str
) -> None:
    ref = await buy(owner, await user())
    await worker.work()
    settings: dict[str, Any] = {"database_url": database_url}

    async def run(*arguments: str) -> tuple[int, str]:
        return await run_command(tmp_path, "domains", *arguments, **settings)

    code, output = await run("list", "--brand", str(OWN_BRAND))
    assert (code, "joes-bakery.com" in output, "active" in output) == (0, True, True)
    code, output = await run("renew", str(ref))
    assert (code, "joes-bakery.com is paid for until" in output) == (0, True)
    code, output = await run("show", str(ref))
    assert (code, "Example Registry" in output, "registered until" in output) == (0, True, True)
    code, output = await run("retry")
    assert (code, "Retrying 0 domains." in output) == (0, True)
    code, output = await run("show", "999999")
    assert (code, "no account domain with this ref" in output) == (1, True)
    await worker.work()
    assert (await get_domain(owner, ref))["active"] == 1
