"""OAuth 1.0a with brackets in field names: the raw pairs are signed, as oauthlib and requests sign them."""

from urllib.parse import unquote, urlencode, urlsplit

import msgspec
import pytest
import requests
from hypothesis import given
from hypothesis import strategies as st
from oauthlib.common import to_unicode
from requests_oauthlib import OAuth1

from sitewright.kit.auth.large_forms import LARGE_FORM
from sitewright.kit.auth.oauth1 import MalformedClaim, SignedParts, read_claim, signature_matches
from tests.kit.oauth1_support import (
    BODY,
    CREDENTIALS,
    FORM,
    HEADER,
    QUERY,
    SIGNATURE_METHODS,
    Credentials,
    SignedRequest,
    is_valid,
    oauthlibs_verdict,
    replaced,
    sign,
)

URL = "https://api.example.com/users"
NESTED = {
    "metadata[1][name]": "b c", "metadata[0][name]": "ä&=+", "metadata[]": "1", "values[content]": "<p>[x]</p>",
    "tags[10]": "10", "tags[9]": "9",
}  # fmt: skip
FORMS = [urlencode(NESTED), "tags[]=b&tags[]=a&tags[]=a&x=1".replace("[]", "%5B%5D"), "a%5Bb%5D=1&a%5bb%5d=1"]


def unescaped_brackets(text: str) -> str:
    for escape, bracket in (("%5B", "["), ("%5b", "["), ("%5D", "]"), ("%5d", "]")):
        text = text.replace(escape, bracket)
    return text


@pytest.mark.parametrize("method", SIGNATURE_METHODS)
@pytest.mark.parametrize("place", [HEADER, QUERY, BODY])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("realm", [None, "https://api.example.com/ sites"])
def test_a_nested_form_is_signed_as_oauthlib_signs_it(method: str, place: str, form: str, realm: str | None) -> None:
    signed = sign(
        "POST", URL, form, realm=realm if place == HEADER else None, signature_method=method, signature_type=place
    )

    assert oauthlibs_verdict(signed, CREDENTIALS)
    assert is_valid(signed)
    assert not is_valid(replaced(signed, "5B", "5C") if "5B" in (signed.body or "") else replaced(signed, "5b", "5c"))


@pytest.mark.parametrize("place", [HEADER, QUERY])
def test_a_nested_query_is_signed_as_oauthlib_signs_it(place: str) -> None:
    signed = sign("GET", f"{URL}?{FORMS[0]}", None, None, signature_type=place)

    assert oauthlibs_verdict(signed, CREDENTIALS)
    assert is_valid(signed)


@pytest.mark.parametrize("place", [HEADER, BODY])
@pytest.mark.parametrize("form", FORMS)
def test_brackets_that_are_not_escaped_are_signed_the_same(place: str, form: str) -> None:
    """PHP clients send them unescaped; oauthlib rejects them."""
    signed = sign("POST", URL, form, signature_type=place)
    sent = msgspec.structs.replace(signed, body=unescaped_brackets(signed.body or ""))

    assert "[" in (sent.body or "")
    assert is_valid(sent)
    in_query = sign("GET", f"{URL}?{form}", None, None)
    assert is_valid(msgspec.structs.replace(in_query, url=unescaped_brackets(in_query.url)))


def test_the_base_string_has_sorted_pairs_with_brackets_in_names_and_with_duplicates() -> None:
    signed = sign("POST", URL, "b%5B%5D=2&b%5B%5D=1&b%5B%5D=1&a%5Bx%5D=+")
    base = read_claim(signed.parts).base_string.decode()

    fields = [pair for pair in unquote(base.split("&")[2]).split("&") if not pair.startswith("oauth_")]
    assert fields == ["a%5Bx%5D=%20", "b%5B%5D=1", "b%5B%5D=1", "b%5B%5D=2"]


def prepared(**options: object) -> SignedRequest:
    """The request as requests and requests-oauthlib send it."""
    auth = OAuth1(CREDENTIALS.key, CREDENTIALS.secret, CREDENTIALS.token, CREDENTIALS.token_secret)
    request = requests.Request("POST", URL, auth=auth, **options).prepare()
    body = request.body.decode() if isinstance(request.body, bytes) else request.body
    return SignedRequest(
        method="POST",
        url=str(request.url),
        authorization=to_unicode(request.headers["Authorization"]),
        body=body,
        content_type=FORM if body else None,
    )


def test_requests_oauthlib_signs_correctly() -> None:
    assert is_valid(prepared(data=NESTED))
    assert is_valid(prepared(params=NESTED))
    assert is_valid(prepared(data=NESTED, params={"filter[a]": "b"}))


@given(
    fields=st.lists(st.tuples(st.text("ab[]0", max_size=6), st.text("ab[]&=+ é", max_size=6)), min_size=1, max_size=6)
)
def test_any_names_with_brackets_get_oauthlibs_verdict(fields: list[tuple[str, str]]) -> None:
    signed = sign("POST", URL, urlencode(fields))

    assert is_valid(signed) is oauthlibs_verdict(signed, CREDENTIALS) is True
    assert is_valid(msgspec.structs.replace(signed, body=unescaped_brackets(signed.body or "")))


def test_a_nested_form_over_64_kib_is_signed_the_same() -> None:
    form = urlencode({f"metadata[{index}][value]": "ä[ ]" * 60 for index in range(200)})
    signed = sign("POST", URL, form)

    assert len(form) > LARGE_FORM
    assert oauthlibs_verdict(signed, CREDENTIALS)
    assert is_valid(signed)
    assert is_valid(msgspec.structs.replace(signed, body=unescaped_brackets(signed.body or "")))


@pytest.mark.parametrize("place", [HEADER, QUERY, BODY])
def test_an_empty_token_is_rejected(place: str) -> None:
    signed = replaced(sign("POST", URL, FORMS[0], signature_type=place), CREDENTIALS.token, "")
    with pytest.raises(MalformedClaim, match="oauth_token"):
        read_claim(signed.parts)


@pytest.mark.parametrize("place", [HEADER, QUERY, BODY])
def test_a_signature_with_an_empty_token_secret_is_invalid_for_a_token_that_has_one(place: str) -> None:
    without = Credentials(CREDENTIALS.key, CREDENTIALS.secret, CREDENTIALS.token, "")
    signed = sign("POST", URL, FORMS[0], credentials=without, signature_type=place)

    assert is_valid(signed, without)
    assert not is_valid(signed)


def test_oauth_names_with_brackets_are_ordinary_fields() -> None:
    """`oauth_token[]` is not `oauth_token`: without the OAuth parameters, the request is rejected."""
    url = urlsplit(URL)
    parts = SignedParts(
        method="POST", scheme=url.scheme, host=url.netloc, path=url.path, query="", authorization=None,
        form="oauth_token%5B%5D=x",
    )  # fmt: skip
    with pytest.raises(MalformedClaim, match="oauth_consumer_key is missing"):
        read_claim(parts)
    assert signature_matches(
        claim := read_claim(sign("POST", URL, FORMS[1]).parts), CREDENTIALS.secret, CREDENTIALS.token_secret, b""
    )
    assert claim.access_token == CREDENTIALS.token
