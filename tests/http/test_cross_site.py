"""A page of another site cannot use the Basic credentials that a browser remembers."""

import httpx
import msgspec
import pytest

from sitewright.app import create_app
from sitewright.kit.http import idempotency
from sitewright.kit.resources import Resources
from tests.support.cast import OWN_BRAND, Cast
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection, make_user

FOREIGN = [
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "Same-Origin, cross-site"},
    {"Sec-Fetch-Site": ""},
    {"Origin": "https://elsewhere.example"},
    {"Origin": "null"},
    {"Origin": ""},
    {"Origin": "https://elsewhere.example", "Sec-Fetch-Site": "cross-site"},
    {"Origin": "https://elsewhere.example", "Sec-Fetch-Site": "same-origin"},
]
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


async def names_of(owner_connection: OwnerConnection, user_ref: int) -> str:
    name: str = await owner_connection.fetchval("select first_name from users where ref = $1", user_ref)
    return name


@pytest.mark.parametrize("headers", FOREIGN)
async def test_a_form_of_another_site_changes_nothing(
    owner_operator: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, headers: dict[str, str]
) -> None:
    user_ref = await make_user(owner_connection, resources)
    calls = [("POST", f"/users/{user_ref}/anonymise"), ("PUT", f"/users/{user_ref}"), ("DELETE", f"/users/{user_ref}")]
    for method, path in calls:
        response = await owner_operator.request(method, path, headers=headers | FORM, content=b"firstName=Mallory")
        assert problem_in(response) == (403, "crossSiteRequest")
    assert await names_of(owner_connection, user_ref) == "Ann"
    assert await owner_connection.fetchval("select deleted_at from users where ref = $1", user_ref) is None


@pytest.mark.parametrize("headers", FOREIGN)
async def test_reads_and_signed_requests_are_allowed(
    owner_operator: httpx.AsyncClient, owner: httpx.AsyncClient, headers: dict[str, str]
) -> None:
    assert (await owner_operator.get(f"/brands/{OWN_BRAND}/languages", headers=headers)).status_code == 200
    assert (await owner.post("/probe/optional", headers=headers)).status_code == 200


@pytest.mark.parametrize("headers", [{}, {"Sec-Fetch-Site": "none"}, {"Sec-Fetch-Site": "same-origin"}])
async def test_programs_and_own_pages_are_allowed(owner_operator: httpx.AsyncClient, headers: dict[str, str]) -> None:
    assert (await owner_operator.post("/probe/optional", headers=headers)).status_code == 200
    own = str(owner_operator.base_url).rstrip("/")
    response = await owner_operator.post("/probe/optional", headers=headers | {"Origin": own})
    assert response.status_code == 200


async def test_pages_at_the_public_url_are_allowed(resources: Resources, cast: Cast, clean: None) -> None:
    settings = msgspec.structs.replace(resources.settings, public_url="https://service.example.com:8443/")
    behind = msgspec.structs.replace(resources, settings=settings)
    transport = httpx.ASGITransport(create_app(behind), client=("127.0.0.1", 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://api.test", auth=cast.owner_operator) as client:

        async def status(origin: str, host: str = "api.test") -> int:
            headers = {"Origin": origin, "Host": host}
            return (await client.post("/users/987654/anonymise", headers=headers)).status_code

        assert await status("https://service.example.com:8443") == 404
        assert await status("http://api.test") == 404
        assert await status("http://api.test", host="api.test:80") == 404
        assert await status("https://service.example.com") == 403
        assert await status("http://api.test:81", host="api.test:80") == 403
        assert await status("https://api.test") == 403


async def test_it_is_refused_before_authentication(
    anonymous: httpx.AsyncClient, owner_connection: OwnerConnection, cast: Cast
) -> None:
    """The response is the same for all credentials, and no rate limit is used up."""
    headers = {"Origin": "https://elsewhere.example", idempotency.HEADER: "one"}
    username, password = cast.owner_operator
    responses = [
        await anonymous.post("/users/1/anonymise", headers=headers, auth=each)
        for each in ((username, password), (username, "wrong"), ("nobody", "wrong"))
    ]
    assert {problem_in(response) for response in responses} == {(403, "crossSiteRequest")}
    assert await owner_connection.fetchval("select count(*) from authentication_failures") == 0
    assert await owner_connection.fetchval("select count(*) from idempotent_answers") == 0
    unknown = await anonymous.post("/users/1/anonymise", headers=headers)
    assert problem_in(unknown) == (401, "unauthenticated")
