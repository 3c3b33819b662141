"""HTTP Basic: an operator's user name and password."""

import base64

import httpx
import pytest

from sitewright.kit.auth.authenticator import VerifiedPasswordCache
from sitewright.kit.auth.passwords import Passwords
from sitewright.kit.resources import Resources
from sitewright.tenants.credentials import service as credentials
from tests.support.cast import OWN_BRAND, PASSWORD, TESTER
from tests.support.responses import problem_in

LANGUAGES = f"/brands/{OWN_BRAND}/languages"


async def test_the_correct_password_is_accepted(owner_operator: httpx.AsyncClient) -> None:
    assert (await owner_operator.get(LANGUAGES)).status_code == 200


@pytest.mark.parametrize("who", [("brand-admin", "wrong"), ("nobody", PASSWORD), ("Brand-Admin", PASSWORD)])
async def test_a_wrong_password_or_name_is_rejected(anonymous: httpx.AsyncClient, who: tuple[str, str]) -> None:
    response = await anonymous.get(LANGUAGES, auth=who)
    assert problem_in(response) == (401, "unauthenticated")
    assert response.json()["detail"].endswith("Check the user name and the password.")


async def test_a_changed_password_is_effective_immediately(
    owner_operator: httpx.AsyncClient, anonymous: httpx.AsyncClient, resources: Resources
) -> None:
    assert (await owner_operator.get(LANGUAGES)).status_code == 200
    new_hash = await resources.passwords.hash("another password", None)
    async with resources.database.transaction(OWN_BRAND) as tx:
        ref = await tx.fetchval("select ref from operators where username = 'brand-admin'")
        await credentials.change_operator_password(tx, TESTER, brand_ref=OWN_BRAND, ref=ref, password_hash=new_hash)
    assert (await owner_operator.get(LANGUAGES)).status_code == 401
    assert (await anonymous.get(LANGUAGES, auth=("brand-admin", "another password"))).status_code == 200


async def test_a_revoked_operator_is_rejected_at_once(owner_operator: httpx.AsyncClient, resources: Resources) -> None:
    assert (await owner_operator.get(LANGUAGES)).status_code == 200
    async with resources.database.transaction(OWN_BRAND) as tx:
        ref = await tx.fetchval("select ref from operators where username = 'brand-admin'")
        await credentials.revoke(tx, TESTER, kind="operator", ref=ref)
    assert (await owner_operator.get(LANGUAGES)).status_code == 401


async def test_a_verified_password_is_cached_as_a_digest_and_only_for_its_hash() -> None:
    passwords = Passwords(at_once=1)
    cache = VerifiedPasswordCache(passwords, seconds=60)
    first, second = await passwords.hash("secret", None), await passwords.hash("secret", None)
    assert not cache.is_cached("ann", "secret", first)
    assert await cache.verify("ann", "secret", first)
    assert cache.is_cached("ann", "secret", first)
    assert not cache.is_cached("ann", "secret", second)
    assert not cache.is_cached("ann", "wrong", first)
    assert not cache.is_cached("bob", "secret", first)
    assert not cache.is_cached("ann", "secret", None)
    assert not await cache.verify("ann", "wrong", first)
    assert not cache.is_cached("ann", "wrong", first)
    assert b"secret" not in b"".join(cache._expiry)
    await passwords.close()


async def test_the_cache_can_be_disabled() -> None:
    passwords = Passwords(at_once=1)
    cache = VerifiedPasswordCache(passwords, seconds=0)
    password_hash = await passwords.hash("secret", None)
    assert await cache.verify("ann", "secret", password_hash)
    assert not cache.is_cached("ann", "secret", password_hash)
    await passwords.close()


@pytest.mark.parametrize(
    "credentials_sent",
    [b"=", b"!!!", base64.b64encode(b"no colon"), base64.b64encode(b"\xff\xfe:x"), base64.b64encode(b"nul\0:x"),
     base64.b64encode(b":only a password"), base64.b64encode(b"u" * 256 + b":x")],
)  # fmt: skip
async def test_malformed_basic_credentials_are_401(anonymous: httpx.AsyncClient, credentials_sent: bytes) -> None:
    response = await anonymous.get(LANGUAGES, headers={b"Authorization": b"Basic " + credentials_sent})
    assert response.status_code == 401


async def test_a_password_may_hold_colons_and_any_alphabet(anonymous: httpx.AsyncClient, resources: Resources) -> None:
    password = "pass:wörd:密码"
    password_hash = await resources.passwords.hash(password, None)
    async with resources.database.transaction(OWN_BRAND) as tx:
        await credentials.create_operator(tx, TESTER, brand_ref=OWN_BRAND, username="zoë", password_hash=password_hash)
    token = base64.b64encode(f"zoë:{password}".encode()).decode()
    response = await anonymous.get(LANGUAGES, headers={"Authorization": f"Basic {token}"})
    assert response.status_code == 200


async def test_the_password_is_stored_hashed(clean: None, resources: Resources, production_hashing: None) -> None:
    password_hash = await resources.passwords.hash(PASSWORD, None)
    async with resources.database.transaction(OWN_BRAND) as tx:
        await credentials.create_operator(tx, TESTER, brand_ref=OWN_BRAND, username="zoë", password_hash=password_hash)
        stored = await tx.fetchval("select password_hash from operators where username = 'zoë'")
    assert stored.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
