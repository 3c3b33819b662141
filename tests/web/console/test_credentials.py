"""API credentials of a brand: last use, creating with secrets shown once, and revoking."""

import re

import httpx
import pytest

from sitewright.kit.resources import Resources
from sitewright.tenants.credentials.service import OAuthCredentials
from tests.support.browsing import page_text
from tests.support.cast import Cast, SignedBy
from tests.support.http_clients import http_client
from tests.support.operators import send, token_of
from tests.support.users import OwnerConnection
from tests.web.console.conftest import LogIn

PATH = "/console/credentials"
NEW = {"label": "Billing system", "role": "viewer"}


async def create(admin: httpx.AsyncClient, **form: str) -> httpx.Response:
    return await send(admin, PATH, **(NEW | form))


async def newest(owner: OwnerConnection) -> int:
    ref: int = await owner.fetchval("select max(ref) from api_credentials where brand_ref = 1")
    return ref


async def test_the_secrets_are_shown_once_and_sign_requests(
    admin: httpx.AsyncClient, base_url: str, owner_connection: OwnerConnection, resources: Resources
) -> None:
    page = await create(admin)
    assert (page.status_code, page.headers["cache-control"]) == (200, "no-store")
    strings = re.findall(r"<code>([\w-]{43})</code>", page.text)
    assert len(strings) == 4
    ref = await newest(owner_connection)
    one = await admin.get(f"{PATH}/{ref}")
    assert strings[0] in one.text
    assert not any(secret in one.text for secret in strings[1:])
    assert "Never" in page_text(one)
    keys = SignedBy(OAuthCredentials(*strings))
    async with http_client(base_url, auth=keys) as client:
        assert (await client.get("/brands/1/languages")).status_code == 200
        assert (await client.post("/operator-invitations", json={})).status_code == 403
        await resources.authenticator.uses.write(resources.database)
        used = await admin.get(PATH)
        assert used.text.count("<time") > (await admin.get(f"{PATH}?state=revoked")).text.count("<time")
        assert "Never" not in page_text(await admin.get(f"{PATH}/{ref}"))
        asked = await admin.get(f"{PATH}/{ref}/revoke")
        assert "is refused at once" in page_text(asked)
        assert (await client.get("/brands/1/languages")).status_code == 200, "the question changes nothing"
        revoked = await send(admin, f"{PATH}/{ref}/revoke")
        assert revoked.headers["location"] == f"{PATH}?done=revoked"
        assert (await client.get("/brands/1/languages")).status_code == 401
    assert "Billing system" in page_text(await admin.get(f"{PATH}?state=revoked"))
    assert (await send(admin, f"{PATH}/{ref}/revoke")).status_code == 404
    actions = await owner_connection.fetch(
        "select actor, action, request_id from audit_entries where subject = 'apiCredential' and subject_ref = $1"
        " order by ref",
        ref,
    )
    assert [row["action"] for row in actions] == ["create", "revoke"]
    assert all(row["request_id"] for row in actions)
    assert all(row["actor"].startswith("operator:") for row in actions)


async def test_uses_are_written_once_a_minute(
    cast: Cast, base_url: str, clean: None, owner_connection: OwnerConnection, resources: Resources
) -> None:
    async with http_client(base_url, auth=SignedBy(cast.owner)) as client:
        await client.get("/brands/1/languages")
    await resources.authenticator.uses.write(resources.database)
    first = await owner_connection.fetchval("select max(last_used_at) from api_credentials")
    async with http_client(base_url, auth=SignedBy(cast.owner)) as client:
        await client.get("/brands/1/languages")
    await resources.authenticator.uses.write(resources.database)
    assert await owner_connection.fetchval("select max(last_used_at) from api_credentials") == first


async def test_the_last_use_of_operators(
    admin: httpx.AsyncClient, cast: Cast, base_url: str, owner_connection: OwnerConnection, resources: Resources
) -> None:
    await resources.authenticator.uses.write(resources.database)
    await owner_connection.execute("update operators set last_used_at = null where username in ('viewer', 'support')")
    page = page_text(await admin.get("/console/staff"))
    assert page.count("Last active:") == 1
    assert page.count("Never active yet") == 2
    async with http_client(base_url, auth=cast.viewer) as client:
        assert (await client.get("/operators")).status_code == 200
    await resources.authenticator.uses.write(resources.database)
    assert page_text(await admin.get("/console/staff")).count("Last active:") == 2


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ({"label": ""}, "Please say what it is for"),
        ({"label": "x" * 101}, "Please say what it is for"),
        ({"role": "system-owner"}, "Please check this field."),
        ({"role": "reseller"}, "Please check this field."),
    ],
)
async def test_a_wrong_form_is_explained(admin: httpx.AsyncClient, form: dict[str, str], text: str) -> None:
    response = await create(admin, **form)
    assert response.status_code == 400
    assert text in page_text(response)


@pytest.mark.parametrize("username", ["support", "viewer"])
async def test_only_brand_admins_change_credentials(
    log_in: LogIn, owner_connection: OwnerConnection, username: str
) -> None:
    client, ref = await log_in(username), await newest(owner_connection)
    assert "New credential" not in page_text(await client.get(PATH))
    assert "Revoke" not in page_text(await client.get(f"{PATH}/{ref}"))
    before = await owner_connection.fetch("select ref, revoked_at from api_credentials order by ref")
    assert (await create(client)).status_code == 403
    assert (await client.get(f"{PATH}/new")).status_code == 403
    assert (await client.get(f"{PATH}/{ref}/revoke")).status_code == 403
    assert (await send(client, f"{PATH}/{ref}/revoke")).status_code == 403
    assert await owner_connection.fetch("select ref, revoked_at from api_credentials order by ref") == before


async def test_a_form_without_the_token_is_refused(admin: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    ref = await newest(owner_connection)
    assert (await admin.post(PATH, data=NEW)).status_code == 403
    assert (await admin.post(f"{PATH}/{ref}/revoke", data={"token": (await token_of(admin))[::-1]})).status_code == 403


async def test_credentials_of_other_brands_do_not_exist(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    other = await owner_connection.fetchval("select ref from api_credentials where brand_ref = 2")
    for path in (f"{PATH}/{{}}", f"{PATH}/{{}}/revoke"):
        responses = [await admin.get(path.format(ref)) for ref in (other, 999_999)]
        assert [each.status_code for each in responses] == [404, 404]
    assert (await send(admin, f"{PATH}/{other}/revoke")).status_code == 404


async def test_calls_of_the_api_do_the_same(owner: httpx.AsyncClient, base_url: str) -> None:
    created = await owner.post("/api-credentials", json=NEW)
    assert created.status_code == 201
    credential = created.json()["credential"]
    strings = [credential[name] for name in ("consumerKey", "consumerSecret", "accessToken", "accessSecret")]
    ref = credential["ref"]
    async with http_client(base_url, auth=SignedBy(OAuthCredentials(*strings))) as client:
        assert (await client.get("/api-credentials")).status_code == 200
        listed = (await owner.get(f"/api-credentials/{ref}")).json()["credential"]
        assert (listed["role"], listed["revoked"]) == ("viewer", None)
        assert "consumerSecret" not in listed
        assert (await owner.delete(f"/api-credentials/{ref}")).status_code == 204
        assert (await client.get("/api-credentials")).status_code == 401
    assert (await owner.delete(f"/api-credentials/{ref}")).status_code == 404
    assert (await owner.get(f"/api-credentials/{ref}")).json()["credential"]["revoked"] is not None
