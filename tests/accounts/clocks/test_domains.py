"""Domains of a test brand: registered, renewed and released by the built-in registrar alone, while the clock moves."""

from datetime import datetime, timedelta
from typing import Any

import httpx

from sitewright.kit import clock
from tests.accounts.account_packages.conftest import MakeUser
from tests.accounts.clocks.test_advance import move
from tests.domains.account_domains.conftest import ScriptedRegistrar, registrar
from tests.support.account_domains import DOMAIN_PACKAGES
from tests.support.cast import OTHER_BRAND
from tests.support.ledger import Ledger
from tests.support.responses import object_in
from tests.support.users import OwnerConnection

__all__ = ["registrar"]


async def buy(client: httpx.AsyncClient, user_ref: int, **body: Any) -> int:
    order = {"domainName": "joes-bakery.com", "packageRef": DOMAIN_PACKAGES[OTHER_BRAND]} | body
    response = await client.post(f"/users/{user_ref}/account-domains", json=order)
    ref: int = object_in(response, "accountDomain", 201)["ref"]
    return ref


async def registered_until(owner_connection: OwnerConnection) -> datetime | None:
    until: datetime | None = await owner_connection.fetchval(
        "select expires_at from registered_domains where domain = 'joes-bakery.com'"
    )
    return until


async def test_a_domain_is_renewed_every_year_and_no_registrar_is_called(
    other_brand: httpx.AsyncClient,
    moving: None,
    user: MakeUser,
    ledger: Ledger,
    owner_connection: OwnerConnection,
    registrar: ScriptedRegistrar,
) -> None:
    registrar.error = AssertionError("a registrar of a live brand")
    user_ref = await user(OTHER_BRAND)
    ref = await buy(other_brand, user_ref)
    await move(other_brand, by="P23M")
    domain = object_in(await other_brand.get(f"/account-domains/{ref}"), "accountDomain")
    assert domain["active"] == 1
    until = await registered_until(owner_connection)
    assert until is not None
    assert f"{until:%Y-%m-%d %H:%M:%S}" == domain["expiryDate"]["date"]
    assert timedelta(days=700) < until - clock.now() < timedelta(days=740)
    await move(other_brand, by="P2Y")
    assert await ledger.events(user_ref) == ["subscription ->10"] + ["renewal 10>10"] * 3
    assert (
        await ledger.domain_mails(user_ref) == ["domainOrdered joes-bakery.com"] + ["domainRenewed joes-bakery.com"] * 3
    )
    actions = await owner_connection.fetch(
        "select action from audit_entries where subject = 'account domain' order by ref"
    )
    assert [row["action"] for row in actions] == ["buy", "register", "renew", "renew", "renew"]
    assert registrar.registered == {}


async def test_a_domain_that_does_not_renew_expires_and_is_released(
    other_brand: httpx.AsyncClient, moving: None, user: MakeUser, owner_connection: OwnerConnection
) -> None:
    user_ref = await user(OTHER_BRAND)
    ref = await buy(other_brand, user_ref, autoRenew=0)
    await move(other_brand, by="P364D")
    assert await registered_until(owner_connection) is not None
    await move(other_brand, by="P2D")
    assert await registered_until(owner_connection) is None
    row = await owner_connection.fetchrow(
        "select status, expires_at, ended_at from account_domains where ref = $1", ref
    )
    assert row is not None
    assert (row["status"], row["ended_at"]) == ("expired", row["expires_at"])
    await buy(other_brand, user_ref)
