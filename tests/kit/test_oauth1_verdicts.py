"""OAuth 1.0a: our verdict, compared with oauthlib's."""

import base64
import hmac
from urllib.parse import quote

import msgspec
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from sitewright.kit.auth.oauth1 import MalformedClaim, read_claim
from tests.kit.oauth1_support import (
    EITHER_METHOD,
    STRINGS,
    Signed,
    Strings,
    can_be_read_as_form,
    is_decoded_twice,
    is_right,
    names,
    oauthlibs_verdict,
    replaced,
    sign,
    signed_requests,
    strings,
    tampered_requests,
    without_form,
    without_room,
)
from tests.support.fuzzing import fuzzed


@fuzzed(200, share=0.1)
@given(signed_requests())
def test_signed_requests_get_oauthlibs_verdict(request_and_strings: tuple[Signed, Strings]) -> None:
    signed, four = request_and_strings
    assume(not is_decoded_twice(signed))

    assert is_right(signed, four) is oauthlibs_verdict(signed, four)


@fuzzed(250, share=0.15)
@given(tampered_requests())
@example((sign(body=""), STRINGS))
def test_tampered_requests_get_oauthlibs_verdict(request_and_strings: tuple[Signed, Strings]) -> None:
    """Except for a malformed form: oauthlib leaves it out of the signature, we reject the request."""
    signed, four = request_and_strings
    assume(not is_decoded_twice(signed))
    refused_by_us_alone = signed.is_form and not can_be_read_as_form(signed.body or "")

    assert is_right(signed, four) is (not refused_by_us_alone and oauthlibs_verdict(without_room(signed), four))


def test_spaces_around_an_equals_sign_of_the_header_are_ignored() -> None:
    signed = replaced(without_form(), 'oauth_signature="', 'oauth_signature = "')

    assert is_right(signed)
    assert not oauthlibs_verdict(signed, STRINGS)
    assert oauthlibs_verdict(without_room(signed), STRINGS)


def test_a_key_that_looks_encoded_is_decoded_once() -> None:
    """As RFC 5849 requires, unlike oauthlib."""
    of_key = "oauth_consumer_key=%2520&oauth_nonce=n&oauth_signature_method=HMAC-SHA1&oauth_timestamp=1700000000"
    parameters = f"{of_key}&oauth_token=t"
    base = f"GET&http%3A%2F%2Fapi.example.com%2F&{quote(parameters, safe='')}"
    signature = base64.b64encode(hmac.digest(b"&", base.encode(), "sha1")).decode()
    signed = Signed(
        method="GET", url=f"http://api.example.com/?{parameters}&oauth_signature={quote(signature, safe='')}"
    )
    four = Strings("%20", "", "t", "")

    assert is_decoded_twice(signed)
    assert is_right(signed, four)
    assert not oauthlibs_verdict(signed, four)
    assert read_claim(signed.parts).consumer_key == "%20"


def test_a_malformed_form_is_rejected_although_oauthlib_ignores_it() -> None:
    signed = msgspec.structs.replace(sign(body=""), body="{not a form}")

    assert oauthlibs_verdict(signed, STRINGS)
    with pytest.raises(MalformedClaim):
        read_claim(signed.parts)


@fuzzed(100, share=0.05)
@given(strings=strings, nonce=names, method=st.sampled_from(EITHER_METHOD))
def test_any_strings_survive_encoding_in_the_header(strings: Strings, nonce: str, method: str) -> None:
    assume((strings.key + strings.token + nonce).isprintable())
    signed = without_form(strings=strings, nonce=nonce, signature_method=method)
    claim = read_claim(signed.parts)

    assert (claim.consumer_key, claim.access_token, claim.nonce) == (strings.key, strings.token, nonce)
    assert is_right(signed, strings)
