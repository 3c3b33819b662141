"""OAuth 1.0a: malformed requests are rejected."""

import contextlib
import time
from urllib.parse import quote, urlencode

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oauthlib.oauth1 import (
    SIGNATURE_PLAINTEXT,
)

from sitewright.kit.auth.oauth1 import MalformedClaim, SignedParts, read_claim, signature_matches
from tests.kit.oauth1_support import (
    ANOTHER_SIGNATURE,
    CREDENTIALS,
    REQUIRED,
    encoded_pairs,
    hosts,
    is_valid,
    oauthlibs_verdict,
    signed_get,
)
from tests.support.fuzzing import fuzzed


def parameters(**changes: str | None) -> dict[str, str]:
    """Valid OAuth parameters; None omits one."""
    usual = {
        "consumer_key": "the-key",
        "token": "the-token",
        "signature_method": "HMAC-SHA256",
        "timestamp": "1700000000",
        "nonce": "the-nonce",
        "signature": ANOTHER_SIGNATURE,
    }
    return {f"oauth_{name}": value for name, value in (usual | changes).items() if value is not None}


def header_of(pairs: dict[str, str]) -> str:
    return "OAuth " + ", ".join(f'{name}="{quote(value, safe="")}"' for name, value in pairs.items())


def in_header(**changes: str | None) -> SignedParts:
    return request_with(authorization=header_of(parameters(**changes)))


def request_with(*, authorization: str | None = None, query: str = "", form: str | None = None) -> SignedParts:
    return SignedParts(
        method="POST",
        scheme="https",
        host="api.example.com",
        path="/users",
        query=query,
        authorization=authorization,
        form=form,
    )


def test_valid_parameters_are_read() -> None:
    assert read_claim(in_header()).consumer_key == "the-key"


@pytest.mark.parametrize("missing", REQUIRED)
@pytest.mark.parametrize("value", [None, ""])
def test_a_missing_or_empty_parameter_is_reported(missing: str, value: str | None) -> None:
    with pytest.raises(MalformedClaim, match=f"oauth_{missing} is missing"):
        read_claim(in_header(**{missing: value}))


@pytest.mark.parametrize("name", ["consumer_key", "token", "nonce", "signature"])
@pytest.mark.parametrize("value", ["a", "a" * 255, "ä" * 255, "😀" * 255, " ", '"', "a,b", "a=b", "%41", "+"])
def test_a_parameter_may_hold_1_to_255_characters_of_any_script(name: str, value: str) -> None:
    claim = read_claim(in_header(**{name: value}))

    held = {"consumer_key": claim.consumer_key, "token": claim.access_token, "nonce": claim.nonce}
    assert (held | {"signature": claim.signature})[name] == value


@pytest.mark.parametrize("name", ["consumer_key", "token", "nonce", "signature"])
@pytest.mark.parametrize("value", ["a" * 256, "a" * 5000, "\0", "a\0", "a\n", "\x7f", "\u202e", "\u2028"])
def test_a_parameter_too_long_or_not_printable_is_reported(name: str, value: str) -> None:
    with pytest.raises(MalformedClaim, match=f"oauth_{name} .* is not 1 to 255 printable characters"):
        read_claim(in_header(**{name: value}))


def test_plaintext_is_rejected_despite_a_valid_signature() -> None:
    with pytest.raises(MalformedClaim, match="must be HMAC-SHA1 or HMAC-SHA256"):
        read_claim(signed_get(signature_method=SIGNATURE_PLAINTEXT).parts)


@pytest.mark.parametrize("method", ["HMAC-SHA512", "RSA-SHA1", "RSA-SHA256", "hmac-sha1", "HMAC-SHA1 ", "sha1", "none"])
def test_any_other_signature_method_is_rejected(method: str) -> None:
    with pytest.raises(MalformedClaim, match="must be HMAC-SHA1 or HMAC-SHA256"):
        read_claim(in_header(signature_method=method))


@pytest.mark.parametrize("version", ["2.0", "1", "1.0a", "1.00", "", "0"])
def test_another_version_is_rejected(version: str) -> None:
    with pytest.raises(MalformedClaim, match=r"oauth_version must be 1\.0"):
        read_claim(in_header(version=version))


def test_the_version_is_optional() -> None:
    assert read_claim(in_header(version="1.0")).nonce == read_claim(in_header(version=None)).nonce


@pytest.mark.parametrize(
    "timestamp", ["now", "-1", "+1", "1.0", "1e9", " 1", "1_0", "0x1", "1" * 13, "١", "²", "1700000000Z"]
)
def test_a_malformed_timestamp_is_rejected(timestamp: str) -> None:
    with pytest.raises(MalformedClaim, match="oauth_timestamp must be seconds"):
        read_claim(in_header(timestamp=timestamp))


def duplicated(name: str) -> str:
    return urlencode({f"oauth_{name}": parameters()[f"oauth_{name}"]})


@pytest.mark.parametrize("name", REQUIRED)
class TestDuplicates:
    def test_a_parameter_twice_in_the_header_is_rejected(self, name: str) -> None:
        pair = f'oauth_{name}="{quote(parameters()[f"oauth_{name}"], safe="")}"'

        with pytest.raises(MalformedClaim):
            read_claim(request_with(authorization=f"{header_of(parameters())}, {pair}"))

    def test_a_parameter_twice_in_the_query_is_rejected(self, name: str) -> None:
        with pytest.raises(MalformedClaim, match="appears twice"):
            read_claim(request_with(query=f"{urlencode(parameters())}&{duplicated(name)}"))

    def test_a_parameter_twice_in_the_form_is_rejected(self, name: str) -> None:
        with pytest.raises(MalformedClaim, match="appears twice"):
            read_claim(request_with(form=f"{duplicated(name)}&{urlencode(parameters())}"))

    def test_a_parameter_in_two_places_is_rejected(self, name: str) -> None:
        header, twice = header_of(parameters()), duplicated(name)

        with pytest.raises(MalformedClaim):
            read_claim(request_with(authorization=header, query=twice))
        with pytest.raises(MalformedClaim):
            read_claim(request_with(authorization=header, form=twice))
        with pytest.raises(MalformedClaim):
            read_claim(request_with(query=urlencode(parameters()), form=twice))

    def test_parameters_spread_over_two_places_are_rejected(self, name: str) -> None:
        """The RFC wants them in one and only one place (3.5), and so does oauthlib."""
        rest = parameters(**{name: None})

        with pytest.raises(MalformedClaim):
            read_claim(request_with(authorization=header_of(rest), query=duplicated(name)))


def test_parameters_spread_over_two_places_get_oauthlibs_verdict() -> None:
    signed = signed_get()
    assert signed.authorization is not None
    moved = msgspec.structs.replace(
        signed,
        url=f"{signed.url}&oauth_nonce=the-nonce",
        authorization=signed.authorization.replace('oauth_nonce="the-nonce", ', ""),
    )
    assert is_valid(signed)

    assert is_valid(moved) is oauthlibs_verdict(moved, CREDENTIALS)


@pytest.mark.parametrize(
    "authorization",
    ["OAuth", "OAuth ", "OAuth  ", "OAuth ,", "OAuth =", "OAuth a", "OAuth a=", 'OAuth a="', "OAuth a=b,,"],
)
def test_a_malformed_header_is_rejected(authorization: str) -> None:
    with pytest.raises(MalformedClaim):
        read_claim(request_with(authorization=authorization))


@pytest.mark.parametrize("query", ["a=é", 'a="', "a=%zz", "a=%1g", "a b", "a=\\", "a=<"])
def test_a_query_that_is_not_percent_encoded_is_rejected(query: str) -> None:
    with pytest.raises(MalformedClaim):
        read_claim(request_with(authorization=header_of(parameters()), query=query))


@pytest.mark.parametrize("host", ["", "a:b", "a:99999", "a:-1", "a:0", "[::1", "::1]", ":80", "\u2100.example.com"])
def test_a_malformed_host_is_rejected(host: str) -> None:
    with pytest.raises(MalformedClaim):
        read_claim(msgspec.structs.replace(in_header(), host=host))


def test_a_form_of_a_mebibyte_is_rejected_quickly() -> None:
    form = urlencode(parameters()) + "&a" * (500 * 1024)

    before = time.process_time()
    with contextlib.suppress(MalformedClaim):
        read_claim(request_with(form=form))

    assert time.process_time() - before < 0.5


def _is_accepted(parts: SignedParts, body: bytes = b"") -> bool:
    """Whether the request is accepted; an exception other than `MalformedClaim` fails the test."""
    try:
        claim = read_claim(parts)
    except MalformedClaim:
        return False
    return signature_matches(claim, "secret", "secret", body)


latin_1 = st.text(alphabet=st.characters(max_codepoint=255), max_size=40)
oauth_words = st.sampled_from(
    [f"oauth_{name}" for name in [*REQUIRED, "version", "body_hash"]] + ["HMAC-SHA1", "1.0", "1"]
)
pieces = (
    oauth_words | st.sampled_from(["=", "&", ",", '"', "%", "%00", "%ff", "%ED%A0%80", "+", " ", "é", "\0"]) | latin_1
)
jumbles = st.lists(pieces, max_size=20).map("".join)
odd_values = latin_1 | st.text(max_size=8) | st.sampled_from(["1", "HMAC-SHA1", "%", "%00", "%ff", "\0"])
odd_claims = st.dictionaries(st.sampled_from([*REQUIRED, "version", "body_hash"]), odd_values, max_size=2).map(
    lambda odd: parameters(**odd)
)
in_one_place = (
    st.builds(request_with, authorization=odd_claims.map(header_of), query=st.just("") | jumbles)
    | st.builds(request_with, query=odd_claims.map(urlencode), form=st.none() | encoded_pairs)
    | st.builds(request_with, query=encoded_pairs, form=odd_claims.map(urlencode))
)
anywhere = st.builds(
    request_with,
    authorization=st.none() | jumbles.map("OAuth {}".format) | latin_1,
    query=jumbles,
    form=st.none() | jumbles,
)


@fuzzed(250, share=0.6)
@given(in_one_place | anywhere)
def test_any_header_query_and_form_is_malformed_or_invalid(parts: SignedParts) -> None:
    assert not _is_accepted(parts, (parts.form or "").encode())


@fuzzed(100, share=0.1)
@given(method=latin_1, host=latin_1 | hosts, path=latin_1.map("/{}".format))
def test_any_method_host_and_path_is_malformed_or_invalid(method: str, host: str, path: str) -> None:
    assert not _is_accepted(msgspec.structs.replace(in_header(), method=method, host=host, path=path))


@pytest.mark.parametrize("realm", ["a, b", "My Realm", "", "x=y"])
def test_a_realm_may_contain_commas_and_spaces(realm: str) -> None:
    header = f'OAuth realm="{realm}", oauth_consumer_key="k", oauth_token=t, oauth_nonce="n",oauth_timestamp="1",'
    header += 'oauth_signature_method="HMAC-SHA1",oauth_signature="s%3D"'
    parts = SignedParts(method="GET", scheme="http", host="h", path="/", query="", authorization=header, form=None)
    claim = read_claim(parts)
    assert (claim.consumer_key, claim.access_token, claim.signature) == ("k", "t", "s=")
    assert b"realm" not in claim.base_string
