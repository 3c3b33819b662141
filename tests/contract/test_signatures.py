"""OAuth 1.0a as existing clients write it: every place, both hashes, every encoding of the same request."""

import re

import msgspec
import pytest

from sitewright.tenants.credentials.service import OAuthCredentials
from tests.contract.caller import Caller
from tests.contract.exchange import Request, send_request
from tests.contract.signing import Place, oauth
from tests.contract.users import NEW_USER, form_request, json_request, php_form, rfc3986_form
from tests.support.cast import OWN_BRAND, Cast

LANGUAGES = Request(method="GET", target=f"/brands/{OWN_BRAND}/languages")
ALGORITHMS = ["HMAC-SHA1", "HMAC-SHA256"]
ESCAPE = re.compile(r"%[0-9A-F]{2}")


def each_algorithm() -> pytest.MarkDecorator:
    return pytest.mark.parametrize("algorithm", ALGORITHMS)


@each_algorithm()
@pytest.mark.parametrize("place", ["AUTH_HEADER", "QUERY"])
@pytest.mark.parametrize("target", ["/users?limit=3&username=zoe%2Bshop%40mail.example", "/users"])
async def test_a_get_signed_in_each_place(
    base_url: str, cast: Cast, clean: None, algorithm: str, place: Place, target: str
) -> None:
    signed = oauth(cast.owner, algorithm, place)(base_url, Request(method="GET", target=target))
    assert (await send_request(base_url, signed)).expect(200) == {"count": "0", "accountHolders": []}


@each_algorithm()
@pytest.mark.parametrize("place", ["AUTH_HEADER", "QUERY", "BODY"])
@pytest.mark.parametrize("form", [php_form(), rfc3986_form()], ids=["plus", "%20"])
async def test_a_form_signed_in_each_place(
    base_url: str, cast: Cast, clean: None, algorithm: str, place: Place, form: str
) -> None:
    """Spaces as `+` and as `%20` are the same fields in the body and in the signature."""
    signed = oauth(cast.owner, algorithm, place)(base_url, form_request("POST", "/users", form))
    holder = (await send_request(base_url, signed)).expect(201)["accountHolder"]
    assert (holder["lastName"], holder["username"]) == ("Example & Sons", "zoe+shop@mail.example")


@each_algorithm()
@pytest.mark.parametrize("place", ["AUTH_HEADER", "QUERY"])
async def test_json_signed_in_each_place(base_url: str, cast: Cast, clean: None, algorithm: str, place: Place) -> None:
    signed = oauth(cast.owner, algorithm, place)(base_url, json_request("POST", "/users", NEW_USER))
    assert (await send_request(base_url, signed)).expect(201)["accountHolder"]["firstName"] == "Zoë"


@each_algorithm()
@pytest.mark.parametrize("realm", ["", "Sites", "https://api.example/"])
async def test_a_realm_in_the_header(base_url: str, cast: Cast, clean: None, algorithm: str, realm: str) -> None:
    signed = oauth(cast.owner, algorithm)(base_url, LANGUAGES)
    headers = tuple((name, value.replace("OAuth ", f'OAuth realm="{realm}", ', 1)) for name, value in signed.headers)
    response = await send_request(base_url, msgspec.structs.replace(signed, headers=headers))
    assert response.expect(200)["languages"]


@each_algorithm()
@pytest.mark.parametrize("separator", [",", ", ", ",\t", " , "])
@pytest.mark.parametrize("scheme", ["OAuth", "oauth", "OAUTH"])
async def test_the_header_in_each_layout(
    base_url: str, cast: Cast, clean: None, algorithm: str, separator: str, scheme: str
) -> None:
    signed = oauth(cast.owner, algorithm)(base_url, LANGUAGES)
    [(name, value)] = signed.headers
    listed = value.removeprefix("OAuth ").replace(", ", separator)
    response = await send_request(base_url, msgspec.structs.replace(signed, headers=((name, f"{scheme} {listed}"),)))
    assert response.expect(200)["languages"]


@each_algorithm()
@pytest.mark.parametrize("place", ["AUTH_HEADER", "BODY"])
async def test_lower_case_escapes(base_url: str, cast: Cast, clean: None, algorithm: str, place: Place) -> None:
    """.NET's encoder writes %2b where the signature has %2B."""
    signed = oauth(cast.owner, algorithm, place)(base_url, form_request("POST", "/users", rfc3986_form()))
    body = ESCAPE.sub(lambda escape: escape[0].lower(), (signed.body or b"").decode())
    assert "%2b" in body
    headers = tuple((name, ESCAPE.sub(lambda escape: escape[0].lower(), value)) for name, value in signed.headers)
    response = await send_request(base_url, msgspec.structs.replace(signed, body=body.encode(), headers=headers))
    assert response.expect(201)["accountHolder"]["username"] == "zoe+shop@mail.example"


@each_algorithm()
async def test_a_query_in_lower_case_escapes(base_url: str, cast: Cast, clean: None, algorithm: str) -> None:
    request = Request(method="GET", target="/users?username=zoe%2Bshop%40mail.example")
    signed = oauth(cast.owner, algorithm)(base_url, request)
    response = await send_request(base_url, msgspec.structs.replace(signed, target=signed.target.lower()))
    assert response.expect(200)["count"] == "0"


@each_algorithm()
async def test_a_second_address_spelling(base_url: str, cast: Cast, clean: None, algorithm: str) -> None:
    """Unnecessary escapes: `%2D` in a query value is a hyphen to both sides."""
    signed = oauth(cast.owner, algorithm)(base_url, Request(method="GET", target="/users?username=a-b"))
    response = await send_request(base_url, msgspec.structs.replace(signed, target="/users?username=a%2Db"))
    assert response.expect(200)["count"] == "0"


@each_algorithm()
@pytest.mark.parametrize("place", ["AUTH_HEADER", "QUERY"])
async def test_an_empty_token_secret_is_refused(
    base_url: str, cast: Cast, clean: None, algorithm: str, place: Place
) -> None:
    """Signed with `consumerSecret&` only, as by a client whose second pair of strings is not configured."""
    oauth_credentials = OAuthCredentials(
        cast.owner.consumer_key, cast.owner.consumer_secret, cast.owner.access_token, ""
    )
    await _assert_refused(base_url, oauth_credentials, algorithm, place)


@each_algorithm()
@pytest.mark.parametrize("place", ["AUTH_HEADER", "QUERY"])
async def test_no_token_is_refused(base_url: str, cast: Cast, clean: None, algorithm: str, place: Place) -> None:
    oauth_credentials = OAuthCredentials(cast.owner.consumer_key, cast.owner.consumer_secret, "", "")
    await _assert_refused(base_url, oauth_credentials, algorithm, place)


async def _assert_refused(base_url: str, oauth_credentials: OAuthCredentials, algorithm: str, place: Place) -> None:
    response = await send_request(base_url, oauth(oauth_credentials, algorithm, place)(base_url, LANGUAGES))
    assert response.expect(401)["code"] == "unauthenticated"
    assert "OAuth" in response.headers["www-authenticate"]


@each_algorithm()
async def test_an_empty_token_in_the_header_is_refused(base_url: str, cast: Cast, clean: None, algorithm: str) -> None:
    """`oauth_token=""`: signed and sent by clients that have no token."""
    oauth_credentials = OAuthCredentials(cast.owner.consumer_key, cast.owner.consumer_secret, "", "")
    signed = oauth(oauth_credentials, algorithm)(
        base_url, Request(method="GET", target=LANGUAGES.target + "?oauth_token=")
    )
    headers = tuple((name, f'{value}, oauth_token=""') for name, value in signed.headers)
    response = await send_request(base_url, msgspec.structs.replace(signed, target=LANGUAGES.target, headers=headers))
    response.expect(401)


@each_algorithm()
async def test_basic_and_oauth_find_the_same_user(by_basic: Caller, cast: Cast, algorithm: str) -> None:
    ref = (await by_basic.send_request(json_request("POST", "/users", NEW_USER))).expect(201)["accountHolder"]["ref"]
    signed = oauth(cast.owner, algorithm)(by_basic.base_url, Request(method="GET", target=f"/users/{ref}"))
    by_oauth = (await send_request(by_basic.base_url, signed)).expect(200)
    assert by_oauth == (await by_basic.send_request(Request(method="GET", target=f"/users/{ref}"))).expect(200)


@each_algorithm()
async def test_raw_brackets_sign_like_escaped_ones(base_url: str, cast: Cast, clean: None, algorithm: str) -> None:
    """The base string is built from the pairs, so a client may escape the brackets or not."""
    form = php_form() + "&metadata%5B0%5D%5Bname%5D=crm&metadata%5B0%5D%5Bvalue%5D=A-17"
    signed = oauth(cast.owner, algorithm)(base_url, form_request("POST", "/users", form))
    raw = (signed.body or b"").replace(b"%5B", b"[").replace(b"%5D", b"]")
    (await send_request(base_url, msgspec.structs.replace(signed, body=raw))).expect(201)
