"""What clients read and send about account holders: `resellerRef`, `flowUrl`, and `hard=1`, which changes nothing."""

import httpx
import msgspec
import pytest

from sitewright.kit.origin import Origin
from sitewright.kit.resources import Resources
from sitewright.settings import Settings
from sitewright.web.login.service import log_in_url
from tests.compatibility.conftest import Send
from tests.support.cast import RESELLER_REF
from tests.support.customers import new_user
from tests.support.responses import items_in, object_in, problem_in
from tests.support.sites import make_domain, make_site
from tests.support.users import OwnerConnection, make_user


@pytest.fixture
async def user_ref(owner_connection: OwnerConnection, resources: Resources, clean: None) -> int:
    return await make_user(owner_connection, resources)


async def test_every_response_contains_the_reseller(send: Send, caller: httpx.AsyncClient) -> None:
    for number, (sent, expected) in enumerate([({}, None), ({"resellerRef": RESELLER_REF}, RESELLER_REF)]):
        created = await send("POST", "/users", **new_user(username=f"user{number}", **sent))
        user = object_in(created, "accountHolder", 201)
        got = object_in(await caller.get(f"/users/{user['ref']}"), "accountHolder")
        edited = object_in(await send("PUT", f"/users/{user['ref']}", firstName="Bea"), "accountHolder")
        [listed] = items_in(await caller.get(f"/users?username=user{number}"), "accountHolders")
        assert [each["resellerRef"] for each in (user, got, edited, listed)] == [expected] * 4


async def test_a_reseller_sees_only_its_own_ref(
    owner: httpx.AsyncClient, reseller: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    own = await make_user(owner_connection, resources, username="own", reseller_ref=RESELLER_REF)
    other = await make_user(owner_connection, resources, username="other", reseller_ref=8)
    assert object_in(await reseller.get(f"/users/{own}"), "accountHolder")["resellerRef"] == RESELLER_REF
    assert problem_in(await reseller.get(f"/users/{other}")) == (404, "userNotFound")
    listed = items_in(await reseller.get("/users"), "accountHolders")
    assert {user["resellerRef"] for user in listed} == {RESELLER_REF}
    assert (await owner.delete("/resellers/8")).status_code == 204
    assert object_in(await owner.get(f"/users/{other}"), "accountHolder")["resellerRef"] == 8


@pytest.mark.parametrize("has_site", [False, True])
async def test_the_flow_url_logs_the_user_in(
    send: Send,
    anonymous: httpx.AsyncClient,
    owner_connection: OwnerConnection,
    resources: Resources,
    user_ref: int,
    base_url: str,
    has_site: bool,
) -> None:
    if has_site:
        site_ref = await make_site(owner_connection, resources, user_ref=user_ref, template_ref=1)
        await make_domain(owner_connection, 1, site_ref, "joes.example")
    response = (await send("POST", f"/users/{user_ref}/auto-login")).json()
    assert response["flowUrl"] == f"{base_url}/login?hash={response['hash']}"
    opened = await anonymous.get(response["flowUrl"])
    assert (opened.status_code, "sitewright" in opened.cookies) == (303, True)
    assert opened.headers["location"] == (f"/account/sites/{site_ref}" if has_site else "/account")
    assert (await anonymous.get(response["flowUrl"])).status_code == 400


@pytest.mark.parametrize(
    ("public_url", "scheme", "host", "expected"),
    [
        ("", "http", "127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("", "http", "[::1]:8080", "http://[::1]:8080"),
        ("", "https", "service.example.com", "https://service.example.com"),
        ("https://service.example.com/", "http", "10.0.0.7:8080", "https://service.example.com"),
        ("", "https", "x/evil?", "http://127.0.0.1:8080"),
        ("", "http", "", "http://127.0.0.1:8080"),
    ],
)
def test_the_flow_url_has_the_public_address_of_the_service(
    public_url: str, scheme: str, host: str, expected: str
) -> None:
    settings = msgspec.structs.replace(Settings(), public_url=public_url)
    url = log_in_url(settings, Origin("10.0.0.1", scheme, host, is_secure=False), "1-secret")
    assert url == f"{expected}/login?hash=1-secret"


@pytest.mark.parametrize("query", ["hard=1", "hard=true&force=1&purge=yes", "deleted=1&anonymise=1"])
async def test_an_unknown_query_parameter_does_not_make_a_delete_final(
    caller: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int, query: str
) -> None:
    assert (await caller.delete(f"/users/{user_ref}?{query}")).status_code == 204
    assert problem_in(await caller.get(f"/users/{user_ref}?{query}")) == (404, "userNotFound")
    shown = object_in(await caller.get(f"/users/{user_ref}?showDeleted=1&{query}"), "accountHolder")
    assert (shown["deleted"], shown["username"]) == (True, "ann")
    back = object_in(await caller.put(f"/users/{user_ref}?{query}", json={"deleted": 0}), "accountHolder")
    assert back["deleted"] is False
    assert await owner_connection.fetchval("select anonymised_at is null and deleted_at is null from users")


async def test_the_reference_says_that_unknown_query_parameters_change_nothing(anonymous: httpx.AsyncClient) -> None:
    about = (await anonymous.get("/openapi.json")).json()["info"]["description"]
    assert "A query parameter that is not listed never changes what a call does." in about
