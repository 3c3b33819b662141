"""POST /users/reset-password: a new password with the mailed hash, once."""

import asyncio

import httpx
import pytest

from sitewright.accounts.users.tokens import LOGIN_TOKEN
from sitewright.kit import clock, tokens
from sitewright.kit.resources import Resources
from tests.accounts.mailed_links.conftest import NEW_PASSWORD, Mailbox
from tests.support.cast import OWN_BRAND, PASSWORD, RESELLER_REF
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection, make_user


async def reset(client: httpx.AsyncClient, secret: str, password: str = NEW_PASSWORD) -> httpx.Response:
    return await client.post("/users/reset-password", json={"hash": secret, "password": password})


async def password_is(owner: OwnerConnection, resources: Resources, user_ref: int, password: str) -> bool:
    kept = await owner.fetchval("select password_hash from users where ref = $1", user_ref)
    return await resources.passwords.verify(password, kept)


async def test_the_password_is_replaced_and_the_user_notified(
    owner: httpx.AsyncClient, mailbox: Mailbox, ann: int, owner_connection: OwnerConnection, resources: Resources
) -> None:
    secret = await mailbox.reset_hash(owner, username="ann")
    assert (await reset(owner, secret)).status_code == 204
    assert await password_is(owner_connection, resources, ann, NEW_PASSWORD)
    assert not await password_is(owner_connection, resources, ann, PASSWORD)
    each = (await mailbox.mails())[-1]
    assert (each.kind, each.user_ref) == ("passwordChanged", ann)
    audited = await owner_connection.fetchval("select subject_ref from audit_entries where action = 'reset password'")
    assert audited == ann


async def test_a_hash_works_once(owner: httpx.AsyncClient, mailbox: Mailbox, ann: int) -> None:
    secret = await mailbox.reset_hash(owner, username="ann")
    first, second = [await reset(owner, secret) for _ in range(2)]
    assert first.status_code == 204
    assert problem_in(second) == (400, "invalidHash")


async def test_of_many_uses_at_the_same_time_one_succeeds(owner: httpx.AsyncClient, mailbox: Mailbox, ann: int) -> None:
    secret = await mailbox.reset_hash(owner, username="ann")
    responses = await asyncio.gather(*(reset(owner, secret, f"password {number}") for number in range(12)))
    assert sorted(response.status_code for response in responses) == [204] + [400] * 11
    assert [each.kind for each in await mailbox.mails()].count("passwordChanged") == 1


async def test_a_hash_expires_after_an_hour(owner: httpx.AsyncClient, mailbox: Mailbox, ann: int) -> None:
    early, late = [await mailbox.reset_hash(owner, username="ann") for _ in range(2)]
    clock.shift(3590)
    assert (await reset(owner, early)).status_code == 204
    clock.shift(3601)
    assert problem_in(await reset(owner, late)) == (400, "invalidHash")


@pytest.mark.parametrize(
    "secret", ["x", "1-", "1-x", "2-x", "99999999999999999999-x", "1-" + "x" * 43, "x" * 5000, "ü-ü"]
)
async def test_an_unknown_hash_is_refused(owner: httpx.AsyncClient, ann: int, secret: str) -> None:
    assert problem_in(await reset(owner, secret)) == (400, "invalidHash")


async def test_a_secret_of_another_kind_is_refused(
    owner: httpx.AsyncClient, mailbox: Mailbox, ann: int, resources: Resources
) -> None:
    async with resources.database.transaction(OWN_BRAND) as tx:
        login = await tokens.issue(tx, LOGIN_TOKEN, OWN_BRAND, ann)
    for secret in (login, await mailbox.verification_token(owner, ann)):
        assert problem_in(await reset(owner, secret)) == (400, "invalidHash")


async def test_another_brands_hash_is_rejected_and_stays_valid(
    owner: httpx.AsyncClient, other_brand: httpx.AsyncClient, mailbox: Mailbox, ann: int
) -> None:
    secret = await mailbox.reset_hash(owner, username="ann")
    assert problem_in(await reset(other_brand, secret)) == (400, "invalidHash")
    assert problem_in(await reset(other_brand, secret.replace("1-", "2-", 1))) == (400, "invalidHash")
    assert (await reset(owner, secret)).status_code == 204


async def test_a_reseller_resets_passwords_of_its_own_users_only(
    owner: httpx.AsyncClient,
    reseller: httpx.AsyncClient,
    mailbox: Mailbox,
    ann: int,
    owner_connection: OwnerConnection,
    resources: Resources,
) -> None:
    await make_user(owner_connection, resources, username="bob", reseller_ref=RESELLER_REF)
    foreign, own = await mailbox.reset_hash(owner, username="ann"), await mailbox.reset_hash(owner, username="bob")
    assert problem_in(await reset(reseller, foreign)) == (400, "invalidHash")
    assert (await reset(reseller, own)).status_code == 204
    assert (await reset(owner, foreign)).status_code == 204


@pytest.mark.parametrize("password", ["", "sixsix", "x" * 101, "\0" * 8])
async def test_a_bad_password_does_not_use_up_the_hash(
    owner: httpx.AsyncClient, mailbox: Mailbox, ann: int, password: str
) -> None:
    secret = await mailbox.reset_hash(owner, username="ann")
    assert problem_in(await reset(owner, secret, password)) == (400, "invalidPassword")
    assert (await reset(owner, secret, "x" * 7 if password else "x" * 100)).status_code == 204


async def test_every_missing_field_is_named(owner: httpx.AsyncClient) -> None:
    response = await owner.post("/users/reset-password", json={})
    assert (response.status_code, set(response.json()["errors"])) == (400, {"hash", "password"})


@pytest.mark.parametrize("verb", ["delete", "anonymise"])
async def test_the_hash_of_a_deleted_user_is_rejected(
    owner: httpx.AsyncClient, mailbox: Mailbox, ann: int, owner_connection: OwnerConnection, verb: str
) -> None:
    secret = await mailbox.reset_hash(owner, username="ann")
    if verb == "delete":
        await owner_connection.execute("update users set deleted_at = now()")
    else:
        await owner_connection.execute("update users set anonymised_at = now()")
    assert problem_in(await reset(owner, secret)) == (400, "invalidHash")


async def test_other_hashes_and_sessions_end(
    owner: httpx.AsyncClient, mailbox: Mailbox, ann: int, owner_connection: OwnerConnection, resources: Resources
) -> None:
    other, secret = [await mailbox.reset_hash(owner, username="ann") for _ in range(2)]
    async with resources.database.transaction(OWN_BRAND) as tx:
        login = await tokens.issue(tx, LOGIN_TOKEN, OWN_BRAND, ann)
    await owner_connection.execute(
        "insert into sessions values (1, 'digest', $1, $2, $3)", ann, clock.now(), clock.now()
    )
    assert (await reset(owner, secret)).status_code == 204
    assert problem_in(await reset(owner, other)) == (400, "invalidHash")
    async with resources.database.transaction(OWN_BRAND) as tx:
        assert await tokens.claim(tx, LOGIN_TOKEN, login) is None
    assert await owner_connection.fetchval("select count(*) from sessions") == 0


async def test_a_replayed_request_gets_the_first_response(owner: httpx.AsyncClient, mailbox: Mailbox, ann: int) -> None:
    secret = await mailbox.reset_hash(owner, username="ann")
    for replayed in (None, "true"):
        body = {"hash": secret, "password": NEW_PASSWORD}
        response = await owner.post("/users/reset-password", json=body, headers={"Idempotency-Key": "once"})
        assert (response.status_code, response.headers.get("Idempotency-Replayed")) == (204, replayed)


async def test_concurrent_resets_and_edits_are_serialized(owner: httpx.AsyncClient, mailbox: Mailbox, ann: int) -> None:
    for number in range(5):
        secret = await mailbox.reset_hash(owner, username="ann")
        edits = [owner.put(f"/users/{ann}", json={"password": f"password {number} {each}"}) for each in range(3)]
        edited, tried = await asyncio.gather(asyncio.gather(*edits), reset(owner, secret))
        assert [response.status_code for response in edited] == [200] * 3
        assert tried.status_code in (204, 400)
