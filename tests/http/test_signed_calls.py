"""OAuth 1.0a over HTTP, as decisions part 3 defines it."""

import asyncio
import base64
import hashlib
import time
from typing import Any

import httpx
import msgspec
import pytest
from oauthlib.oauth1 import Client

from sitewright.app import create_app
from sitewright.features import LIFECYCLE, MAIL
from sitewright.kit import clock
from sitewright.kit.auth.caller import Role
from sitewright.kit.resources import Resources, open_resources
from sitewright.tenants.credentials import service as credentials
from sitewright.tenants.credentials.service import OAuthCredentials
from tests.support import contract
from tests.support.cast import OWN_BRAND, RESELLER_REF, TESTER, Cast, SignedBy
from tests.support.http_clients import http_client
from tests.support.probe import get_caller
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection

LANGUAGES = f"/brands/{OWN_BRAND}/languages"


def signed_header(oauth_credentials: OAuthCredentials, url: str, method: str = "GET", **options: Any) -> dict[str, str]:
    """An Authorization header that can be sent several times."""
    client = Client(
        oauth_credentials.consumer_key,
        oauth_credentials.consumer_secret,
        oauth_credentials.access_token,
        oauth_credentials.access_secret,
        **options,
    )
    headers: dict[str, str] = client.sign(url, method)[1]
    return headers


@pytest.mark.parametrize("method", ["HMAC-SHA1", "HMAC-SHA256"])
@pytest.mark.parametrize("place", ["AUTH_HEADER", "QUERY"])
async def test_both_methods_in_header_and_query(
    anonymous: httpx.AsyncClient, cast: Cast, method: str, place: str
) -> None:
    auth = SignedBy(cast.owner, signature_method=method, signature_type=place)
    response = await anonymous.get(LANGUAGES, auth=auth)
    assert response.status_code == 200


async def test_parameters_in_a_form_body_sign_its_fields_too(anonymous: httpx.AsyncClient, cast: Cast) -> None:
    auth = SignedBy(cast.owner, signature_type="BODY")
    response = await anonymous.post("/probe", auth=auth, data={"userRef": "1", "firstName": "Zoë & Co"})
    assert response.status_code == 200
    assert response.json()["firstName"] == "Zoë & Co"


async def test_a_form_field_changed_after_signing_is_rejected(
    anonymous: httpx.AsyncClient, base_url: str, cast: Cast
) -> None:
    client = Client(*_key_and_token(cast.owner), signature_method="HMAC-SHA256")
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    _, headers, body = client.sign(f"{base_url}/probe", "POST", body="userRef=1&firstName=Ann", headers=form)
    response = await anonymous.post("/probe", headers=headers, content=body.replace("Ann", "Eve"))
    assert response.status_code == 401


async def test_query_parameters_are_signed(anonymous: httpx.AsyncClient, base_url: str, cast: Cast) -> None:
    headers = signed_header(cast.owner, f"{base_url}/probe?limit=3")
    assert (await anonymous.get("/probe?limit=3", headers=headers)).json()["limit"] == 3
    headers = signed_header(cast.owner, f"{base_url}/probe?limit=3")
    assert (await anonymous.get("/probe?limit=4", headers=headers)).status_code == 401


async def test_head_is_signed_as_head(anonymous: httpx.AsyncClient, base_url: str, cast: Cast) -> None:
    headers = signed_header(cast.owner, base_url + LANGUAGES, "HEAD")
    response = await anonymous.head(LANGUAGES, headers=headers)
    assert (response.status_code, response.content) == (200, b"")


@pytest.mark.parametrize("change", ["consumer_secret", "access_secret", "access_token", "consumer_key"])
async def test_any_wrong_credential_is_rejected(anonymous: httpx.AsyncClient, cast: Cast, change: str) -> None:
    oauth_credentials = OAuthCredentials(
        *("wrong" if name == change else getattr(cast.owner, name) for name in OAuthCredentials.__struct_fields__)
    )
    response = await anonymous.get(LANGUAGES, auth=SignedBy(oauth_credentials))
    assert response.status_code == 401
    assert response.json()["code"] == "unauthenticated"
    assert response.headers["www-authenticate"].startswith("OAuth ")
    assert "Basic " in response.headers["www-authenticate"]


async def test_plaintext_is_rejected(anonymous: httpx.AsyncClient, cast: Cast) -> None:
    response = await anonymous.get(LANGUAGES, auth=SignedBy(cast.owner, signature_method="PLAINTEXT"))
    assert response.status_code == 401


@pytest.mark.parametrize(("seconds", "status"), [(-290, 200), (290, 200), (-310, 401), (310, 401)])
async def test_timestamps_are_valid_for_300_seconds(
    anonymous: httpx.AsyncClient, cast: Cast, seconds: int, status: int
) -> None:
    auth = SignedBy(cast.owner, timestamp=str(int(time.time()) + seconds))
    assert (await anonymous.get(LANGUAGES, auth=auth)).status_code == status


async def test_the_services_shifted_clock_does_not_move_oauth(owner: httpx.AsyncClient) -> None:
    clock.shift(86400)
    assert (await owner.get(LANGUAGES)).status_code == 200


async def test_a_nonce_is_valid_once_among_64_concurrent_copies(base_url: str, cast: Cast, clean: None) -> None:
    headers = signed_header(cast.owner, base_url + LANGUAGES)
    limits = httpx.Limits(max_connections=64)
    async with http_client(base_url, limits=limits, event_hooks=contract.HOOKS) as client:
        responses = await asyncio.gather(*(client.get(LANGUAGES, headers=headers) for _ in range(64)))
    assert sorted(response.status_code for response in responses) == [200] + [401] * 63


async def test_a_nonce_is_valid_once_across_processes(
    anonymous: httpx.AsyncClient, base_url: str, cast: Cast, resources: Resources, database_url: str
) -> None:
    """A second node that shares only the database and the master key."""
    headers = signed_header(cast.owner, base_url + "/probe/caller")
    assert (await anonymous.get("/probe/caller", headers=headers)).status_code == 200
    async with open_resources(
        resources.settings, database_url, name="second", lifecycle=LIFECYCLE, mail=MAIL
    ) as second:
        transport = httpx.ASGITransport(create_app(second, [get_caller]))
        async with httpx.AsyncClient(transport=transport, base_url=base_url, event_hooks=contract.HOOKS) as other_node:
            replayed = await other_node.get("/probe/caller", headers=headers)
    assert replayed.status_code == 401
    assert "nonce" in replayed.json()["detail"]


async def test_a_credential_that_another_master_key_encrypted(
    base_url: str, cast: Cast, resources: Resources, database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    """An operator's problem: 503, logged in one line, and no failed attempt of the caller."""
    settings = msgspec.structs.replace(resources.settings, master_key=base64.b64encode(bytes(range(32))).decode())
    async with open_resources(settings, database_url, name="other key", lifecycle=LIFECYCLE, mail=MAIL) as replaced:
        transport = httpx.ASGITransport(create_app(replaced, [get_caller]))
        async with httpx.AsyncClient(transport=transport, base_url=base_url, event_hooks=contract.HOOKS) as client:
            responses = [await client.get("/probe/caller", auth=SignedBy(cast.owner)) for _ in range(15)]
            wrong = msgspec.structs.replace(cast.owner, consumer_key="unknown")
            assert (await client.get("/probe/caller", auth=SignedBy(wrong))).status_code == 401
    assert {(each.status_code, each.headers["retry-after"]) for each in responses} == {(503, "60")}
    assert {each.json()["code"] for each in responses} == {"temporarilyUnavailable"}
    [line] = [record for record in caplog.records if record.name == "sitewright.sealing"]
    assert "Bring the key back" in line.getMessage()
    assert line.exc_info is None
    assert not any(record.exc_info for record in caplog.records)


async def test_a_damaged_credential_is_not_reported_as_a_lost_master_key(
    anonymous: httpx.AsyncClient, cast: Cast, owner_connection: OwnerConnection, caplog: pytest.LogCaptureFixture
) -> None:
    key = cast.owner.consumer_key
    sealed = await owner_connection.fetchval("select consumer_secret from api_credentials where consumer_key = $1", key)
    change = "update api_credentials set consumer_secret = $2 where consumer_key = $1"
    await owner_connection.execute(change, key, sealed[:-1] + bytes([sealed[-1] ^ 1]))
    try:
        response = await anonymous.get("/probe/caller", auth=SignedBy(cast.owner))
    finally:
        await owner_connection.execute(change, key, sealed)
    assert problem_in(response) == (503, "temporarilyUnavailable")
    [line] = [record for record in caplog.records if record.name == "sitewright.sealing"]
    assert "restore its row" in line.getMessage()
    assert "Bring the key back" not in line.getMessage()


async def test_a_rejected_request_has_used_its_nonce(anonymous: httpx.AsyncClient, base_url: str, cast: Cast) -> None:
    foreign = signed_header(cast.owner, f"{base_url}/brands/2/languages", nonce="seen-once")
    assert (await anonymous.get("/brands/2/languages", headers=foreign)).status_code == 403
    again = signed_header(cast.owner, base_url + LANGUAGES, nonce="seen-once")
    assert (await anonymous.get(LANGUAGES, headers=again)).status_code == 401


async def test_a_wrongly_signed_request_has_used_its_nonce(
    anonymous: httpx.AsyncClient, base_url: str, cast: Cast
) -> None:
    wrong = signed_header(cast.owner, f"{base_url}/elsewhere", nonce="burnt")
    assert (await anonymous.get(LANGUAGES, headers=wrong)).status_code == 401
    right = signed_header(cast.owner, base_url + LANGUAGES, nonce="burnt")
    assert (await anonymous.get(LANGUAGES, headers=right)).status_code == 401


async def test_two_callers_may_use_the_same_nonce(anonymous: httpx.AsyncClient, cast: Cast) -> None:
    for oauth_credentials in (cast.owner, cast.reseller):
        assert (await anonymous.get(LANGUAGES, auth=SignedBy(oauth_credentials, nonce="same"))).status_code == 200


@pytest.mark.parametrize("length", [1, 255])
async def test_keys_and_nonces_from_1_to_255_characters(
    anonymous: httpx.AsyncClient, resources: Resources, length: int
) -> None:
    oauth_credentials = OAuthCredentials(*(letter * length for letter in "kstu"))
    async with resources.database.transaction(OWN_BRAND) as tx:
        await credentials.create_api_credential(
            tx, resources.sealer, TESTER, brand_ref=OWN_BRAND, label="long", credentials=oauth_credentials
        )
    response = await anonymous.get(LANGUAGES, auth=SignedBy(oauth_credentials, nonce="n" * length))
    assert response.status_code == 200


async def test_a_nonce_of_256_characters_is_rejected(anonymous: httpx.AsyncClient, cast: Cast) -> None:
    assert (await anonymous.get(LANGUAGES, auth=SignedBy(cast.owner, nonce="n" * 256))).status_code == 401


@pytest.mark.parametrize(("algorithm", "digest"), [("HMAC-SHA1", hashlib.sha1), ("HMAC-SHA256", hashlib.sha256)])
async def test_a_body_hash_is_checked_when_present(
    anonymous: httpx.AsyncClient, base_url: str, cast: Cast, algorithm: str, digest: Any
) -> None:
    body = b'{"reason": "because"}'
    for sent, status in ((body, 200), (b'{"reason": "forged"}', 401)):
        client = BodyHashClient(*_key_and_token(cast.owner), signature_method=algorithm)
        client.body_hash = base64.b64encode(digest(body).digest()).decode()
        _, headers, _ = client.sign(f"{base_url}/probe/optional", "POST")
        headers["Content-Type"] = "application/json"
        response = await anonymous.post("/probe/optional", headers=headers, content=sent)
        assert response.status_code == status


class BodyHashClient(Client):  # type: ignore[misc]  # oauthlib has no types
    body_hash = ""

    def get_oauth_params(self, request: Any) -> list[tuple[str, str]]:
        return [*super().get_oauth_params(request), ("oauth_body_hash", self.body_hash)]


async def test_a_reseller_has_its_role(reseller: httpx.AsyncClient, resources: Resources) -> None:
    assert (await reseller.put("/probe/1", json={})).json()["code"] == "forbidden"
    async with resources.database.transaction(OWN_BRAND) as tx:
        found = await tx.fetchval("select reseller_ref from api_credentials where role = $1", Role.RESELLER)
    assert found == RESELLER_REF


async def test_a_revoked_credential_is_rejected_at_once(
    anonymous: httpx.AsyncClient, owner: httpx.AsyncClient, resources: Resources
) -> None:
    async with resources.database.transaction(OWN_BRAND) as tx:
        oauth_credentials = await credentials.create_api_credential(
            tx, resources.sealer, TESTER, brand_ref=OWN_BRAND, label="short-lived"
        )
    named = (await anonymous.get("/probe/caller", auth=SignedBy(oauth_credentials))).json()["caller"]
    async with resources.database.transaction(OWN_BRAND) as tx:
        await credentials.revoke(tx, TESTER, kind="api", ref=int(named.split(":")[1]))
    assert (await anonymous.get("/probe/caller", auth=SignedBy(oauth_credentials))).status_code == 401
    assert (await owner.get("/probe/caller")).status_code == 200


async def test_secrets_are_encrypted_in_the_database(cast: Cast, resources: Resources, clean: None) -> None:
    async with resources.database.transaction(OWN_BRAND) as tx:
        rows = await tx.fetch("select c::text as everything from api_credentials c")
    stored = " ".join(row["everything"] for row in rows)
    assert cast.owner.consumer_key in stored
    for secret in (cast.owner.consumer_secret, cast.owner.access_secret):
        assert secret not in stored
        assert secret.encode().hex() not in stored


def _key_and_token(oauth_credentials: OAuthCredentials) -> tuple[str, str, str, str]:
    return (
        oauth_credentials.consumer_key,
        oauth_credentials.consumer_secret,
        oauth_credentials.access_token,
        oauth_credentials.access_secret,
    )
