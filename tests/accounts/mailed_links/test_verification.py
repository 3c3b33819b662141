"""POST /users/:ref/send-verification-email and /validate-email-verification-token."""

import asyncio

import httpx
import pytest

from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.accounts.mailed_links.conftest import Mailbox
from tests.support.cast import RESELLER_REF
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection, make_user

URL = "https://shop.example/verify"


async def send(client: httpx.AsyncClient, user_ref: int, url: str = URL) -> httpx.Response:
    return await client.post(f"/users/{user_ref}/send-verification-email", json={"verificationUrl": url})


async def validate(client: httpx.AsyncClient, user_ref: int, token: str) -> httpx.Response:
    return await client.post(f"/users/{user_ref}/validate-email-verification-token", json={"token": token})


async def is_verified(client: httpx.AsyncClient, user_ref: int) -> bool:
    verified: bool = (await client.get(f"/users/{user_ref}")).json()["accountHolder"]["emailVerified"]
    return verified


async def test_the_token_of_the_mail_verifies_the_address(
    owner: httpx.AsyncClient, mailbox: Mailbox, ann: int, owner_connection: OwnerConnection
) -> None:
    token = await mailbox.verification_token(owner, ann)
    [stored] = await mailbox.mails()
    assert (stored.kind, stored.user_ref) == ("verification", ann)
    assert stored.facts == {"to": "ann@mail.example", "url": f"{URL}?token={token}"}
    assert not await is_verified(owner, ann)
    assert (await validate(owner, ann, token)).status_code == 204
    assert await is_verified(owner, ann)
    audited = await owner_connection.fetch("select action from audit_entries where subject = 'user' order by ref")
    assert [row["action"] for row in audited] == ["send verification email", "verify email"]


async def test_a_url_with_a_query_gets_one_more_parameter(owner: httpx.AsyncClient, mailbox: Mailbox, ann: int) -> None:
    await send(owner, ann, f"{URL}?a=b#c")
    [stored] = await mailbox.mails()
    assert stored.facts["url"].startswith(f"{URL}?a=b&token=1-")
    assert stored.facts["url"].endswith("#c")


async def test_a_token_works_once(owner: httpx.AsyncClient, mailbox: Mailbox, ann: int) -> None:
    token = await mailbox.verification_token(owner, ann)
    responses = await asyncio.gather(*(validate(owner, ann, token) for _ in range(8)))
    assert sorted(response.status_code for response in responses) == [204] + [400] * 7


async def test_a_token_works_for_a_day(owner: httpx.AsyncClient, mailbox: Mailbox, ann: int) -> None:
    early, late = [await mailbox.verification_token(owner, ann) for _ in range(2)]
    clock.shift(24 * 3600 - 10)
    assert (await validate(owner, ann, early)).status_code == 204
    clock.shift(24 * 3600 + 1)
    response = await validate(owner, ann, late)
    assert problem_in(response) == (400, "invalidToken")


async def test_tokens_that_are_not_the_users_are_refused(
    owner: httpx.AsyncClient, mailbox: Mailbox, ann: int, owner_connection: OwnerConnection, resources: Resources
) -> None:
    bob = await make_user(owner_connection, resources, username="bob")
    bobs = await mailbox.verification_token(owner, bob)
    for token in ("x", "1-x", "x" * 5000, bobs, await mailbox.reset_hash(owner, username="ann")):
        response = await validate(owner, ann, token)
        assert problem_in(response) == (400, "invalidToken")
    assert not await is_verified(owner, ann)
    assert (await validate(owner, bob, bobs)).status_code == 204


async def test_a_new_address_revokes_earlier_tokens(owner: httpx.AsyncClient, mailbox: Mailbox, ann: int) -> None:
    token = await mailbox.verification_token(owner, ann)
    assert (await owner.put(f"/users/{ann}", json={"email": "new@mail.example"})).status_code == 200
    assert (await validate(owner, ann, token)).status_code == 400
    assert (await validate(owner, ann, await mailbox.verification_token(owner, ann))).status_code == 204


async def test_the_sixth_mail_within_an_hour_is_refused(owner: httpx.AsyncClient, mailbox: Mailbox, ann: int) -> None:
    for minute in range(5):
        clock.shift(minute * 60)
        assert (await send(owner, ann)).status_code == 204
    response = await send(owner, ann)
    assert problem_in(response) == (429, "tooManyMails")
    assert 3350 < int(response.headers["Retry-After"]) <= 3360
    clock.shift(240 + int(response.headers["Retry-After"]) + 1)
    assert [(await send(owner, ann)).status_code for _ in range(2)] == [204, 429]
    assert len(await mailbox.mails()) == 6


async def test_concurrent_requests_keep_the_rate_limit(owner: httpx.AsyncClient, mailbox: Mailbox, ann: int) -> None:
    responses = await asyncio.gather(*(send(owner, ann) for _ in range(12)))
    assert sorted(response.status_code for response in responses) == [204] * 5 + [429] * 7


async def test_anonymized_users_get_no_mail(
    owner: httpx.AsyncClient, mailbox: Mailbox, owner_connection: OwnerConnection, resources: Resources
) -> None:
    user_ref = await make_user(owner_connection, resources, anonymised_at=clock.now())
    response = await send(owner, user_ref)
    assert problem_in(response) == (409, "anonymised")
    assert (await send(owner, user_ref, "no link")).status_code == 400
    assert await mailbox.mails() == []


@pytest.mark.parametrize("url", ["", "/verify", "mailto:ann@mail.example", "https://ann@shop.example", "https://a\tb"])
async def test_a_bad_verification_url_is_refused(owner: httpx.AsyncClient, ann: int, url: str) -> None:
    response = await send(owner, ann, url)
    assert problem_in(response) == (400, "invalidVerificationUrl")


async def test_a_brand_may_name_the_hosts_it_allows(
    owner: httpx.AsyncClient, ann: int, owner_connection: OwnerConnection
) -> None:
    await owner_connection.execute("update brands set allowed_link_hosts = '{shop.example}' where brand_ref = 1")
    assert [(await send(owner, ann, url)).status_code for url in (URL, "https://elsewhere.example")] == [204, 400]


@pytest.mark.parametrize("verb", ["send-verification-email", "validate-email-verification-token"])
async def test_users_that_cannot_be_reached_are_not_found(
    owner: httpx.AsyncClient,
    reseller: httpx.AsyncClient,
    owner_connection: OwnerConnection,
    resources: Resources,
    verb: str,
) -> None:
    deleted = await make_user(owner_connection, resources, deleted_at=clock.now())
    owners = await make_user(owner_connection, resources)
    own = await make_user(owner_connection, resources, username="bob", reseller_ref=RESELLER_REF)
    for client, user_ref in ((owner, deleted), (owner, 999_999), (reseller, owners)):
        response = await client.post(f"/users/{user_ref}/{verb}", json={})
        assert problem_in(response) == (404, "userNotFound")
    assert (await reseller.post(f"/users/{own}/{verb}", json={})).status_code == 400
