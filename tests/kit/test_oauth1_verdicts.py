"""OAuth 1.0a: the service accepts and rejects the same generated requests as oauthlib, with named exceptions."""

import base64
import hmac
from urllib.parse import quote

import msgspec
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from sitewright.kit.auth.oauth1 import MalformedClaim, read_claim
from tests.kit.oauth1_support import (
    CREDENTIALS,
    SIGNATURE_METHODS,
    Credentials,
    SignedRequest,
    any_credentials,
    can_be_read_as_form,
    is_valid,
    names,
    oauthlib_decodes_twice,
    oauthlibs_verdict,
    replaced,
    sign,
    signed_get,
    signed_requests,
    tampered_requests,
    without_spaces_around_equals,
)
from tests.support.fuzzing import fuzzed


@fuzzed(200, share=0.1)
@given(signed_requests())
def test_signed_requests_get_oauthlibs_verdict(request_and_credentials: tuple[SignedRequest, Credentials]) -> None:
    signed, credentials = request_and_credentials
    assume(not oauthlib_decodes_twice(signed))

    assert is_valid(signed, credentials) is oauthlibs_verdict(signed, credentials)


@fuzzed(250, share=0.15)
@given(tampered_requests())
@example((sign(body=""), CREDENTIALS))
def test_tampered_requests_get_oauthlibs_verdict(request_and_credentials: tuple[SignedRequest, Credentials]) -> None:
    """Except for a malformed form: oauthlib leaves it out of the signature, we reject the request."""
    signed, credentials = request_and_credentials
    assume(not oauthlib_decodes_twice(signed))
    only_we_reject = signed.is_form and not can_be_read_as_form(signed.body or "")

    assert is_valid(signed, credentials) is (
        not only_we_reject and oauthlibs_verdict(without_spaces_around_equals(signed), credentials)
    )


def test_spaces_around_an_equals_sign_of_the_header_are_ignored() -> None:
    signed = replaced(signed_get(), 'oauth_signature="', 'oauth_signature = "')

    assert is_valid(signed)
    assert not oauthlibs_verdict(signed, CREDENTIALS)
    assert oauthlibs_verdict(without_spaces_around_equals(signed), CREDENTIALS)


def test_a_key_that_looks_encoded_is_decoded_once() -> None:
    """As RFC 5849 requires, unlike oauthlib."""
    key = "oauth_consumer_key=%2520&oauth_nonce=n&oauth_signature_method=HMAC-SHA1&oauth_timestamp=1700000000"
    parameters = f"{key}&oauth_token=t"
    base = f"GET&http%3A%2F%2Fapi.example.com%2F&{quote(parameters, safe='')}"
    signature = base64.b64encode(hmac.digest(b"&", base.encode(), "sha1")).decode()
    signed = SignedRequest(
        method="GET", url=f"http://api.example.com/?{parameters}&oauth_signature={quote(signature, safe='')}"
    )
    credentials = Credentials("%20", "", "t", "")

    assert oauthlib_decodes_twice(signed)
    assert is_valid(signed, credentials)
    assert not oauthlibs_verdict(signed, credentials)
    assert read_claim(signed.parts).consumer_key == "%20"


def test_a_malformed_form_is_rejected_although_oauthlib_ignores_it() -> None:
    signed = msgspec.structs.replace(sign(body=""), body="{not a form}")

    assert oauthlibs_verdict(signed, CREDENTIALS)
    with pytest.raises(MalformedClaim):
        read_claim(signed.parts)


@fuzzed(100, share=0.05)
@given(credentials=any_credentials, nonce=names, method=st.sampled_from(SIGNATURE_METHODS))
def test_any_credentials_survive_encoding_in_the_header(credentials: Credentials, nonce: str, method: str) -> None:
    assume((credentials.key + credentials.token + nonce).isprintable())
    signed = signed_get(credentials=credentials, nonce=nonce, signature_method=method)
    claim = read_claim(signed.parts)

    assert (claim.consumer_key, claim.access_token, claim.nonce) == (credentials.key, credentials.token, nonce)
    assert is_valid(signed, credentials)
