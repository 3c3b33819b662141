"""OAuth 1.0a: requests that oauthlib signed are valid, and invalid when anything that is signed has changed."""

import base64
import hashlib
from typing import Any
from urllib.parse import quote

import msgspec
import pytest
from oauthlib.oauth1 import (
    SIGNATURE_HMAC_SHA1,
    SIGNATURE_HMAC_SHA256,
    Client,
)

from sitewright.kit.auth.oauth1 import read_claim
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
    replaced,
    sign,
    signed_get,
)


@pytest.mark.parametrize("place", [HEADER, QUERY, BODY])
@pytest.mark.parametrize("method", SIGNATURE_METHODS)
class TestSignedByOauthlib:
    @pytest.fixture
    def signed(self, place: str, method: str) -> SignedRequest:
        return sign(signature_method=method, signature_type=place)

    def test_a_request_that_oauthlib_signed_is_valid(self, signed: SignedRequest) -> None:
        assert is_valid(signed)

    def test_the_claim_has_key_token_nonce_and_time(self, signed: SignedRequest, method: str) -> None:
        claim = read_claim(signed.parts)

        assert (claim.consumer_key, claim.access_token) == ("the-key", "the-token")
        assert (claim.nonce, claim.timestamp, claim.body_hash) == ("the-nonce", 1700000000, None)
        assert claim.algorithm == {SIGNATURE_HMAC_SHA1: "sha1", SIGNATURE_HMAC_SHA256: "sha256"}[method]

    @pytest.mark.parametrize("other", ["PUT", "GET", "DELETE", "PATCH", ""])
    def test_another_method_is_invalid(self, signed: SignedRequest, other: str) -> None:
        assert not is_valid(msgspec.structs.replace(signed, method=other))

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("https://", "http://"),
            ("api.example.com", "api.example.org"),
            ("api.example.com", "api.example.com:8443"),
            ("/users", "/user"),
            ("/users", "/Users"),
            ("/users", "/users/"),
            ("/users", "/users/1"),
            ("/users", "/%75sers"),
        ],
    )
    def test_another_address_is_invalid(self, signed: SignedRequest, old: str, new: str) -> None:
        assert not is_valid(replaced(signed, old, new))

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("limit=5", "limit=6"),
            ("limit=5", "Limit=5"),
            ("limit=5", "limit=5&limit=5"),
            ("limit=5", "limit=5&"),
            ("limit=5&", ""),
            ("limit=5", "limit=5&extra="),
            ("%C3%BCrgen", "%C3%9Crgen"),
            ("limit=5", "limit=["),
        ],
    )
    def test_another_query_is_invalid_unless_it_means_the_same(self, signed: SignedRequest, old: str, new: str) -> None:
        means_the_same = new == "limit=5&"

        assert is_valid(replaced(signed, old, new)) is means_the_same

    @pytest.mark.parametrize(
        ("old", "new"),
        [("%40example", "%41example"), ("email=", "mail="), ("email=", "admin=1&email="), ("email=", "[=")],
    )
    def test_another_form_field_is_invalid(self, signed: SignedRequest, old: str, new: str) -> None:
        assert not is_valid(replaced(signed, old, new))

    def test_a_form_that_was_signed_and_not_sent_is_invalid(self, signed: SignedRequest) -> None:
        assert not is_valid(msgspec.structs.replace(signed, content_type="application/json"))

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("the-key", "that-key"),
            ("the-token", "that-token"),
            ("the-nonce", "that-nonce"),
            ("1700000000", "1700000001"),
        ],
    )
    def test_another_oauth_parameter_is_invalid(self, signed: SignedRequest, old: str, new: str) -> None:
        assert not is_valid(replaced(signed, old, new))

    def test_another_signature_method_is_invalid(self, signed: SignedRequest, method: str) -> None:
        [other] = set(SIGNATURE_METHODS) - {method}

        assert not is_valid(replaced(signed, method, other))

    @pytest.mark.parametrize(
        "credentials",
        [
            Credentials(secret="the secret"),
            Credentials(secret=""),
            Credentials(token_secret="token/secret"),
            Credentials(token_secret=""),
            Credentials(secret=CREDENTIALS.token_secret, token_secret=CREDENTIALS.secret),
        ],
    )
    def test_another_secret_is_invalid(self, signed: SignedRequest, credentials: Credentials) -> None:
        assert not is_valid(signed, credentials)

    def test_another_signature_is_invalid(self, signed: SignedRequest) -> None:
        signature = read_claim(signed.parts).signature

        for index in range(len(signature)):
            other = signature[:index] + ("A" if signature[index] != "A" else "B") + signature[index + 1 :]
            assert not is_valid(replaced(signed, quote(signature, safe=""), quote(other, safe="")))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("api.example.com", "API.Example.COM"),
        ("api.example.com", "api.example.com:443"),
        ("limit=5&name=J%C3%BCrgen%20M", "name=J%C3%BCrgen%20M&limit=5"),
        ("%20M", "+M"),
        ("%C3%BC", "%c3%bc"),
        ("name=J%C3", "n%61me=%4A%C3"),
        ("name=J+M", "name=J%20M"),
    ],
)
def test_the_same_request_spelled_differently_is_valid(old: str, new: str) -> None:
    assert is_valid(replaced(sign(), old, new))


@pytest.mark.parametrize("host", ["api.example.com:8443", "127.0.0.1:8080", "[::1]:8080", "[2001:db8::1]", "localhost"])
def test_any_host_and_port_may_be_signed(host: str) -> None:
    assert is_valid(signed_get(url=f"http://{host}/users"))


def test_a_realm_in_the_header_is_not_signed() -> None:
    signed = signed_get(realm="sitewright")

    assert is_valid(signed)
    assert is_valid(replaced(signed, 'realm="sitewright"', 'realm="another"'))


def test_a_realm_in_the_query_is_signed_like_any_parameter() -> None:
    signed = signed_get(url="https://api.example.com/users?realm=a", realm="sitewright")

    assert is_valid(signed)
    assert not is_valid(replaced(signed, "?realm=a", "?realm=b"))


def test_the_scheme_of_the_header_may_be_written_in_any_case() -> None:
    assert is_valid(replaced(signed_get(), "OAuth ", "oAUTH "))


def test_the_introductory_example_of_the_rfc_is_valid() -> None:
    authorization = (
        'OAuth realm="Photos", oauth_consumer_key="dpf43f3p2l4k3l03", oauth_token="nnch734d00sl2jdk", '
        'oauth_signature_method="HMAC-SHA1", oauth_timestamp="137131202", oauth_nonce="chapoH", '
        'oauth_signature="MdpQcU8iPSUjWoN%2FUDMsK2sui9I%3D"'
    )
    url = "http://photos.example.net/photos?file=vacation.jpg&size=original"
    secrets = Credentials(secret="kd94hf93k423kf44", token_secret="pfkkdhi9sl3r4s00")

    assert is_valid(SignedRequest(method="GET", url=url, authorization=authorization), secrets)


def test_the_base_string_is_the_one_that_the_rfc_shows() -> None:
    authorization = (
        'OAuth realm="Example", oauth_consumer_key="9djdj82h48djs9d2", oauth_token="kkk9d7dh3k39sjv7", '
        'oauth_signature_method="HMAC-SHA1", oauth_timestamp="137131201", oauth_nonce="7d8f3e4a", '
        'oauth_signature="djosJKDKJSD8743243%2Fjdk33klY%3D"'
    )
    url = "http://EXAMPLE.COM:80/request?b5=%3D%253D&a3=a&c%40=&a2=r%20b"
    request = SignedRequest(method="POST", url=url, authorization=authorization, body="c2&a3=2+q", content_type=FORM)

    assert read_claim(request.parts).base_string == (
        b"POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D"
        b"%26c%2540%3D%26c2%3D%26oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a"
        b"%26oauth_signature_method%3DHMAC-SHA1%26oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7"
    )


class HashingClient(Client):  # type: ignore[misc]  # oauthlib has no types
    """Adds a body hash of a chosen algorithm; oauthlib's client always uses SHA-1."""

    body_hash = ""

    def get_oauth_params(self, request: Any) -> list[tuple[str, str]]:
        parameters = [pair for pair in super().get_oauth_params(request) if pair[0] != "oauth_body_hash"]
        return [*parameters, ("oauth_body_hash", self.body_hash)]


def hashing_client(digest: bytes) -> type[Client]:
    return type("Hashing", (HashingClient,), {"body_hash": base64.b64encode(digest).decode()})


JSON = '{"name": "Jürgen"}'


@pytest.mark.parametrize("method", SIGNATURE_METHODS)
def test_json_that_oauthlib_signed_with_a_body_hash_is_valid(method: str) -> None:
    signed = sign(body=JSON, content_type="application/json", signature_method=method)

    assert read_claim(signed.parts).body_hash is not None
    assert is_valid(signed)


@pytest.mark.parametrize("method", SIGNATURE_METHODS)
@pytest.mark.parametrize("body", ["", " ", JSON + " ", JSON.replace("ü", "u"), JSON.upper(), "{}"])
def test_another_body_than_the_hashed_one_is_invalid(method: str, body: str) -> None:
    signed = sign(body=JSON, content_type="application/json", signature_method=method)

    assert not is_valid(msgspec.structs.replace(signed, body=body))


@pytest.mark.parametrize(
    ("method", "digest"),
    [
        (SIGNATURE_HMAC_SHA1, hashlib.sha1(JSON.encode()).digest()),  # noqa: S324 - as the draft wants it
        (SIGNATURE_HMAC_SHA256, hashlib.sha256(JSON.encode()).digest()),
    ],
)
def test_the_body_hash_may_use_the_algorithm_of_the_signature(method: str, digest: bytes) -> None:
    client = hashing_client(digest)
    signed = sign(body=JSON, content_type="application/json", signature_method=method, client=client)

    assert is_valid(signed)
    assert not is_valid(msgspec.structs.replace(signed, body=JSON + "\n"))


def test_the_hash_of_an_empty_body_is_valid_without_a_body() -> None:
    client = hashing_client(hashlib.sha1(b"").digest())  # noqa: S324 - as the draft wants it
    signed = signed_get(client=client)

    assert is_valid(signed)
    assert not is_valid(msgspec.structs.replace(signed, body="{}"))


@pytest.mark.parametrize("method", SIGNATURE_METHODS)
@pytest.mark.parametrize("digest", [b"", b"a" * 20, b"a" * 32, hashlib.md5(JSON.encode()).digest()])  # noqa: S324
def test_a_malformed_body_hash_is_invalid(method: str, digest: bytes) -> None:
    client = hashing_client(digest)

    assert not is_valid(sign(body=JSON, content_type="application/json", signature_method=method, client=client))


def test_json_without_a_hash_is_not_covered_by_the_signature() -> None:
    signed = sign(body=None, content_type="application/json")

    assert is_valid(msgspec.structs.replace(signed, body=JSON))
