"""OAuth 1.0a: what a client signs is right, anything changed is wrong, and the verdict is oauthlib's own."""

import base64
import contextlib
import hashlib
import time
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import msgspec
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from oauthlib.common import urldecode
from oauthlib.oauth1 import (
    SIGNATURE_HMAC_SHA1,
    SIGNATURE_HMAC_SHA256,
    SIGNATURE_PLAINTEXT,
    SIGNATURE_TYPE_AUTH_HEADER,
    SIGNATURE_TYPE_BODY,
    SIGNATURE_TYPE_QUERY,
    Client,
    RequestValidator,
    ResourceEndpoint,
)

from sitewright.kit.auth.oauth1 import MalformedClaim, SignedParts, read_claim, signature_is_right

FORM = "application/x-www-form-urlencoded"
HEADER, QUERY, BODY = SIGNATURE_TYPE_AUTH_HEADER, SIGNATURE_TYPE_QUERY, SIGNATURE_TYPE_BODY
EITHER_METHOD = [SIGNATURE_HMAC_SHA1, SIGNATURE_HMAC_SHA256]
REQUIRED = ["consumer_key", "token", "signature_method", "timestamp", "nonce", "signature"]


class Strings(msgspec.Struct, frozen=True):
    key: str = "the-key"
    secret: str = "the secret & more"
    token: str = "the-token"
    token_secret: str = "tökén/secret"


class Signed(msgspec.Struct, frozen=True, kw_only=True):
    """A request as it goes over the wire."""

    method: str
    url: str
    authorization: str | None = None
    body: str | None = None
    content_type: str | None = None

    @property
    def is_form(self) -> bool:
        return self.content_type == FORM

    @property
    def parts(self) -> SignedParts:
        url = urlsplit(self.url)
        return SignedParts(
            method=self.method,
            scheme=url.scheme,
            host=url.netloc,
            path=url.path,
            query=url.query,
            authorization=self.authorization,
            form=self.body if self.is_form else None,
        )


STRINGS = Strings()
ANOTHER_SIGNATURE = base64.b64encode(b"a" * 20).decode()


def sign(
    method: str = "POST",
    url: str = "https://api.example.com/users?limit=5&name=J%C3%BCrgen%20M",
    body: str | None = "email=a%40example.com&name=J+M",
    content_type: str | None = FORM,
    *,
    strings: Strings = STRINGS,
    client: type[Client] = Client,
    realm: str | None = None,
    **options: Any,
) -> Signed:
    four = (strings.key, strings.secret, strings.token, strings.token_secret)
    signer = client(*four, **{"nonce": "the-nonce", "timestamp": "1700000000"} | options)
    headers = {} if content_type is None else {"Content-Type": content_type}
    signed_url, signed_headers, signed_body = signer.sign(url, method, body, headers, realm=realm)
    return Signed(
        method=method,
        url=signed_url,
        authorization=signed_headers.get("Authorization"),
        body=signed_body,
        content_type=content_type,
    )


def is_right(signed: Signed, strings: Strings = STRINGS) -> bool:
    try:
        claim = read_claim(signed.parts)
    except MalformedClaim:
        return False
    return signature_is_right(claim, strings.secret, strings.token_secret, (signed.body or "").encode())


def replaced(signed: Signed, old: str, new: str) -> Signed:
    """`signed` with `old` replaced, wherever it stands."""
    changed = msgspec.structs.replace(
        signed,
        url=signed.url.replace(old, new),
        authorization=signed.authorization and signed.authorization.replace(old, new),
        body=signed.body and signed.body.replace(old, new),
    )
    assert changed != signed, f"{old} stands nowhere"
    return changed


def without_form(**options: Any) -> Signed:
    return sign("GET", body=None, content_type=None, **options)


# --- Signed by oauthlib's client ---------------------------------------------------------------------------------


@pytest.mark.parametrize("place", [HEADER, QUERY, BODY])
@pytest.mark.parametrize("method", EITHER_METHOD)
class TestSignedByOauthlib:
    @pytest.fixture
    def signed(self, place: str, method: str) -> Signed:
        return sign(signature_method=method, signature_type=place)

    def test_what_a_client_signed_is_right(self, signed: Signed) -> None:
        assert is_right(signed)

    def test_the_claim_tells_who_signed_when(self, signed: Signed, method: str) -> None:
        claim = read_claim(signed.parts)

        assert (claim.consumer_key, claim.access_token) == ("the-key", "the-token")
        assert (claim.nonce, claim.timestamp, claim.body_hash) == ("the-nonce", 1700000000, None)
        assert claim.algorithm == {SIGNATURE_HMAC_SHA1: "sha1", SIGNATURE_HMAC_SHA256: "sha256"}[method]

    @pytest.mark.parametrize("other", ["PUT", "GET", "DELETE", "PATCH", ""])
    def test_another_method_is_wrong(self, signed: Signed, other: str) -> None:
        assert not is_right(msgspec.structs.replace(signed, method=other))

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
    def test_another_address_is_wrong(self, signed: Signed, old: str, new: str) -> None:
        assert not is_right(replaced(signed, old, new))

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
    def test_another_query_is_wrong_unless_it_says_the_same(self, signed: Signed, old: str, new: str) -> None:
        says_the_same = new == "limit=5&"

        assert is_right(replaced(signed, old, new)) is says_the_same

    @pytest.mark.parametrize(
        ("old", "new"),
        [("%40example", "%41example"), ("email=", "mail="), ("email=", "admin=1&email="), ("email=", "[=")],
    )
    def test_another_form_field_is_wrong(self, signed: Signed, old: str, new: str) -> None:
        assert not is_right(replaced(signed, old, new))

    def test_a_form_that_was_signed_and_not_sent_is_wrong(self, signed: Signed) -> None:
        assert not is_right(msgspec.structs.replace(signed, content_type="application/json"))

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("the-key", "that-key"),
            ("the-token", "that-token"),
            ("the-nonce", "that-nonce"),
            ("1700000000", "1700000001"),
        ],
    )
    def test_another_oauth_parameter_is_wrong(self, signed: Signed, old: str, new: str) -> None:
        assert not is_right(replaced(signed, old, new))

    def test_another_signature_method_is_wrong(self, signed: Signed, method: str) -> None:
        [other] = set(EITHER_METHOD) - {method}

        assert not is_right(replaced(signed, method, other))

    @pytest.mark.parametrize(
        "strings",
        [
            Strings(secret="the secret"),
            Strings(secret=""),
            Strings(token_secret="token/secret"),
            Strings(token_secret=""),
            Strings(secret=STRINGS.token_secret, token_secret=STRINGS.secret),
        ],
    )
    def test_another_secret_is_wrong(self, signed: Signed, strings: Strings) -> None:
        assert not is_right(signed, strings)

    def test_another_signature_is_wrong(self, signed: Signed) -> None:
        signature = read_claim(signed.parts).signature

        for index in range(len(signature)):
            other = signature[:index] + ("A" if signature[index] != "A" else "B") + signature[index + 1 :]
            assert not is_right(replaced(signed, quote(signature, safe=""), quote(other, safe="")))


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
def test_the_same_request_spelled_differently_is_right(old: str, new: str) -> None:
    assert is_right(replaced(sign(), old, new))


@pytest.mark.parametrize("host", ["api.example.com:8443", "127.0.0.1:8080", "[::1]:8080", "[2001:db8::1]", "localhost"])
def test_any_host_and_port_may_be_signed(host: str) -> None:
    assert is_right(without_form(url=f"http://{host}/users"))


def test_a_realm_in_the_header_is_not_signed() -> None:
    signed = without_form(realm="sitewright")

    assert is_right(signed)
    assert is_right(replaced(signed, 'realm="sitewright"', 'realm="another"'))


def test_a_realm_in_the_query_is_signed_like_any_parameter() -> None:
    signed = without_form(url="https://api.example.com/users?realm=a", realm="sitewright")

    assert is_right(signed)
    assert not is_right(replaced(signed, "?realm=a", "?realm=b"))


def test_the_scheme_of_the_header_may_be_written_in_any_case() -> None:
    assert is_right(replaced(without_form(), "OAuth ", "oAUTH "))


def test_the_example_that_the_rfc_begins_with_is_right() -> None:
    authorization = (
        'OAuth realm="Photos", oauth_consumer_key="dpf43f3p2l4k3l03", oauth_token="nnch734d00sl2jdk", '
        'oauth_signature_method="HMAC-SHA1", oauth_timestamp="137131202", oauth_nonce="chapoH", '
        'oauth_signature="MdpQcU8iPSUjWoN%2FUDMsK2sui9I%3D"'
    )
    url = "http://photos.example.net/photos?file=vacation.jpg&size=original"
    secrets = Strings(secret="kd94hf93k423kf44", token_secret="pfkkdhi9sl3r4s00")

    assert is_right(Signed(method="GET", url=url, authorization=authorization), secrets)


def test_the_base_string_is_the_one_that_the_rfc_shows() -> None:
    authorization = (
        'OAuth realm="Example", oauth_consumer_key="9djdj82h48djs9d2", oauth_token="kkk9d7dh3k39sjv7", '
        'oauth_signature_method="HMAC-SHA1", oauth_timestamp="137131201", oauth_nonce="7d8f3e4a", '
        'oauth_signature="djosJKDKJSD8743243%2Fjdk33klY%3D"'
    )
    url = "http://EXAMPLE.COM:80/request?b5=%3D%253D&a3=a&c%40=&a2=r%20b"
    request = Signed(method="POST", url=url, authorization=authorization, body="c2&a3=2+q", content_type=FORM)

    assert read_claim(request.parts).base_string == (
        b"POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D"
        b"%26c%2540%3D%26c2%3D%26oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a"
        b"%26oauth_signature_method%3DHMAC-SHA1%26oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7"
    )


# --- The hash of the body ----------------------------------------------------------------------------------------


class HashingClient(Client):  # type: ignore[misc]  # oauthlib has no types
    """Adds the hash of the body that the test wants, where oauthlib's client always takes SHA-1."""

    body_hash = ""

    def get_oauth_params(self, request: Any) -> list[tuple[str, str]]:
        parameters = [pair for pair in super().get_oauth_params(request) if pair[0] != "oauth_body_hash"]
        return [*parameters, ("oauth_body_hash", self.body_hash)]


def hashing_client(digest: bytes) -> type[Client]:
    return type("Hashing", (HashingClient,), {"body_hash": base64.b64encode(digest).decode()})


JSON = '{"name": "Jürgen"}'


@pytest.mark.parametrize("method", EITHER_METHOD)
def test_json_that_oauthlib_signed_with_its_hash_is_right(method: str) -> None:
    signed = sign(body=JSON, content_type="application/json", signature_method=method)

    assert read_claim(signed.parts).body_hash is not None
    assert is_right(signed)


@pytest.mark.parametrize("method", EITHER_METHOD)
@pytest.mark.parametrize("body", ["", " ", JSON + " ", JSON.replace("ü", "u"), JSON.upper(), "{}"])
def test_another_body_than_the_hashed_one_is_wrong(method: str, body: str) -> None:
    signed = sign(body=JSON, content_type="application/json", signature_method=method)

    assert not is_right(msgspec.structs.replace(signed, body=body))


@pytest.mark.parametrize(
    ("method", "digest"),
    [
        (SIGNATURE_HMAC_SHA1, hashlib.sha1(JSON.encode()).digest()),  # noqa: S324 - as the draft wants it
        (SIGNATURE_HMAC_SHA256, hashlib.sha256(JSON.encode()).digest()),
    ],
)
def test_the_hash_may_be_made_as_the_signature_is(method: str, digest: bytes) -> None:
    client = hashing_client(digest)
    signed = sign(body=JSON, content_type="application/json", signature_method=method, client=client)

    assert is_right(signed)
    assert not is_right(msgspec.structs.replace(signed, body=JSON + "\n"))


def test_the_hash_of_no_body_is_right_when_there_is_none() -> None:
    client = hashing_client(hashlib.sha1(b"").digest())  # noqa: S324 - as the draft wants it
    signed = without_form(client=client)

    assert is_right(signed)
    assert not is_right(msgspec.structs.replace(signed, body="{}"))


@pytest.mark.parametrize("method", EITHER_METHOD)
@pytest.mark.parametrize("digest", [b"", b"a" * 20, b"a" * 32, hashlib.md5(JSON.encode()).digest()])  # noqa: S324
def test_a_hash_that_is_none_of_the_body_is_wrong(method: str, digest: bytes) -> None:
    client = hashing_client(digest)

    assert not is_right(sign(body=JSON, content_type="application/json", signature_method=method, client=client))


def test_json_without_a_hash_is_not_covered_by_the_signature() -> None:
    signed = sign(body=None, content_type="application/json")

    assert is_right(msgspec.structs.replace(signed, body=JSON))


# --- Against oauthlib's own verdict ------------------------------------------------------------------------------


class Permissive(RequestValidator):  # type: ignore[misc]  # oauthlib has no types
    """Takes every key, token and nonce of 1 to 255 printable characters, as we do; leaves the signature to judge."""

    enforce_ssl = False
    timestamp_lifetime = 10**10
    allowed_signature_methods = tuple(EITHER_METHOD)
    dummy_client = dummy_access_token = "nobody"

    def __init__(self, strings: Strings) -> None:
        super().__init__()
        self.strings = strings

    def check_client_key(self, client_key: str) -> bool:
        return 1 <= len(client_key) <= 255 and client_key.isprintable()

    check_nonce = check_access_token = check_client_key

    def validate_timestamp_and_nonce(self, *_: Any, **__: Any) -> bool:
        return True

    validate_client_key = validate_access_token = validate_realms = validate_timestamp_and_nonce

    def get_client_secret(self, *_: Any) -> str:
        return self.strings.secret

    def get_access_token_secret(self, *_: Any) -> str:
        return self.strings.token_secret


def oauthlibs_verdict(signed: Signed, strings: Strings) -> bool:
    headers = {"Content-Type": signed.content_type, "Authorization": signed.authorization}
    try:
        valid, _ = ResourceEndpoint(Permissive(strings)).validate_protected_resource_request(
            signed.url, signed.method, signed.body, {name: value for name, value in headers.items() if value}
        )
    except ValueError:  # its way to refuse a header or query that cannot be read
        return False
    return bool(valid)


def can_be_read_as_form(text: str) -> bool:
    try:
        urldecode(text)
    except ValueError:
        return False
    return True


text = st.text(max_size=8)
printable = st.characters(exclude_categories=["C", "Z"]) | st.sampled_from(" %+&=\"',~")
names = st.text(printable, min_size=1, max_size=20)
encoded_pairs = st.lists(st.tuples(text, text), max_size=4).map(urlencode)
hand_written_pairs = st.text(alphabet="ab=&+~-._%*", max_size=12).filter(can_be_read_as_form)
pairs = encoded_pairs | hand_written_pairs | st.sampled_from(["a", "a=", "=", "&&", "a=1&a=1&a=0", "a;b=1", "a=%zz"])
hosts = st.sampled_from(["api.example.com", "API.Example.com:8443", "localhost:80", "[::1]:8080", "127.0.0.1:443"])
paths = st.lists(text, max_size=3).map(
    lambda segments: "/" + "/".join(quote(each, safe=":@!$'()*+,;") for each in segments)
)
strings = st.builds(Strings, names, text, names, text)


@st.composite
def signed_requests(draw: st.DrawFn) -> tuple[Signed, Strings]:
    four = draw(strings)
    place = draw(st.sampled_from([HEADER, QUERY, BODY]))
    form = draw(pairs if place == BODY else st.none() | pairs)
    query = draw(st.just("") | pairs)
    url = f"{draw(st.sampled_from(['http', 'https']))}://{draw(hosts)}{draw(paths)}{query and '?' + query}"
    try:
        signed = sign(
            draw(st.sampled_from(["POST", "PUT", "DELETE"] if form is not None else ["GET", "POST", "DELETE"])),
            url,
            form,
            None if form is None else FORM,
            strings=four,
            signature_type=place,
            signature_method=draw(st.sampled_from(EITHER_METHOD)),
            nonce=draw(names | st.text(max_size=2)),
            timestamp=str(draw(st.integers(10**9, 10**10 - 1))),
        )
    except ValueError:  # what oauthlib's client cannot sign, nobody can
        assume(False)
    return signed, four


@st.composite
def damaged(draw: st.DrawFn, whole: str | None) -> str | None:
    """`whole` with a piece cut out, put in or put in the place of another."""
    if whole is None:
        return None
    start = draw(st.integers(0, len(whole)))
    end = draw(st.integers(start, min(len(whole), start + 3)))
    return whole[:start] + draw(st.text(alphabet='aA1=&%+,"; [', max_size=3)) + whole[end:]


@st.composite
def tampered_requests(draw: st.DrawFn) -> tuple[Signed, Strings]:
    signed, four = draw(signed_requests())
    match draw(st.sampled_from(["method", "query", "path", "header", "body", "strings", "spelling"])):
        case "method":
            signed = msgspec.structs.replace(signed, method=draw(st.sampled_from(["GET", "post", "PATCH"])))
        case "query":
            front, mark, query = signed.url.partition("?")
            signed = msgspec.structs.replace(signed, url=front + (mark or "?") + (draw(damaged(query)) or ""))
        case "path":
            signed = msgspec.structs.replace(signed, url=signed.url.replace("/", draw(st.sampled_from(["//", "/a/"]))))
        case "header":
            signed = msgspec.structs.replace(signed, authorization=draw(damaged(signed.authorization)))
        case "body":
            signed = msgspec.structs.replace(signed, body=draw(damaged(signed.body)))
        case "strings":
            four = draw(strings)
        case "spelling":
            front, mark, query = signed.url.partition("?")
            signed = msgspec.structs.replace(signed, url=front + mark + "&".join(reversed(query.split("&"))))
    return signed, four


@settings(max_examples=200, deadline=None)
@given(signed_requests())
def test_whatever_oauthlib_signs_we_judge_as_oauthlib_does(request_and_strings: tuple[Signed, Strings]) -> None:
    signed, four = request_and_strings

    assert is_right(signed, four) is oauthlibs_verdict(signed, four)


@settings(max_examples=250, deadline=None)
@given(tampered_requests())
@example((sign(body=""), STRINGS))
def test_whatever_is_tampered_with_we_judge_as_oauthlib_does(request_and_strings: tuple[Signed, Strings]) -> None:
    """But for a form that cannot be read: oauthlib leaves it out of the signature, we refuse the request."""
    signed, four = request_and_strings
    refused_by_us_alone = signed.is_form and not can_be_read_as_form(signed.body or "")

    assert is_right(signed, four) is (not refused_by_us_alone and oauthlibs_verdict(signed, four))


def test_a_form_that_cannot_be_read_is_refused_where_oauthlib_ignores_it() -> None:
    signed = msgspec.structs.replace(sign(body=""), body="[not a form]")

    assert oauthlibs_verdict(signed, STRINGS)
    with pytest.raises(MalformedClaim):
        read_claim(signed.parts)


@settings(max_examples=100, deadline=None)
@given(strings=strings, nonce=names, method=st.sampled_from(EITHER_METHOD))
def test_whatever_the_strings_hold_arrives_whole_in_the_header(strings: Strings, nonce: str, method: str) -> None:
    assume((strings.key + strings.token + nonce).isprintable())
    signed = without_form(strings=strings, nonce=nonce, signature_method=method)
    claim = read_claim(signed.parts)

    assert (claim.consumer_key, claim.access_token, claim.nonce) == (strings.key, strings.token, nonce)
    assert is_right(signed, strings)


# --- Malformed ---------------------------------------------------------------------------------------------------


def parameters(**changes: str | None) -> dict[str, str]:
    """OAuth parameters that can be read; None leaves one out."""
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


def test_parameters_that_break_no_rule_are_read() -> None:
    assert read_claim(in_header()).consumer_key == "the-key"


@pytest.mark.parametrize("missing", REQUIRED)
@pytest.mark.parametrize("value", [None, ""])
def test_a_parameter_missing_or_empty_is_named(missing: str, value: str | None) -> None:
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
def test_a_parameter_too_long_or_not_printable_is_named(name: str, value: str) -> None:
    with pytest.raises(MalformedClaim, match=f"oauth_{name} .* is not 1 to 255 printable characters"):
        read_claim(in_header(**{name: value}))


def test_plaintext_is_refused_though_its_signature_fits() -> None:
    with pytest.raises(MalformedClaim, match="must be HMAC-SHA1 or HMAC-SHA256"):
        read_claim(without_form(signature_method=SIGNATURE_PLAINTEXT).parts)


@pytest.mark.parametrize("method", ["HMAC-SHA512", "RSA-SHA1", "RSA-SHA256", "hmac-sha1", "HMAC-SHA1 ", "sha1", "none"])
def test_any_other_signature_method_is_refused(method: str) -> None:
    with pytest.raises(MalformedClaim, match="must be HMAC-SHA1 or HMAC-SHA256"):
        read_claim(in_header(signature_method=method))


@pytest.mark.parametrize("version", ["2.0", "1", "1.0a", "1.00", "", "0"])
def test_another_version_is_refused(version: str) -> None:
    with pytest.raises(MalformedClaim, match=r"oauth_version must be 1\.0"):
        read_claim(in_header(version=version))


def test_the_version_may_be_sent_or_left_out() -> None:
    assert read_claim(in_header(version="1.0")).nonce == read_claim(in_header(version=None)).nonce


@pytest.mark.parametrize(
    "timestamp", ["now", "-1", "+1", "1.0", "1e9", " 1", "1_0", "0x1", "1" * 13, "١", "²", "1700000000Z"]
)
def test_a_timestamp_that_is_no_number_of_seconds_is_refused(timestamp: str) -> None:
    with pytest.raises(MalformedClaim, match="oauth_timestamp must be seconds"):
        read_claim(in_header(timestamp=timestamp))


def duplicated(name: str) -> str:
    return urlencode({f"oauth_{name}": parameters()[f"oauth_{name}"]})


@pytest.mark.parametrize("name", REQUIRED)
class TestDuplicates:
    def test_a_parameter_twice_in_the_header_is_refused(self, name: str) -> None:
        pair = f'oauth_{name}="{quote(parameters()[f"oauth_{name}"], safe="")}"'

        with pytest.raises(MalformedClaim):
            read_claim(request_with(authorization=f"{header_of(parameters())}, {pair}"))

    def test_a_parameter_twice_in_the_query_is_refused(self, name: str) -> None:
        with pytest.raises(MalformedClaim, match="stands twice"):
            read_claim(request_with(query=f"{urlencode(parameters())}&{duplicated(name)}"))

    def test_a_parameter_twice_in_the_form_is_refused(self, name: str) -> None:
        with pytest.raises(MalformedClaim, match="stands twice"):
            read_claim(request_with(form=f"{duplicated(name)}&{urlencode(parameters())}"))

    def test_a_parameter_in_two_places_is_refused(self, name: str) -> None:
        header, twice = header_of(parameters()), duplicated(name)

        with pytest.raises(MalformedClaim):
            read_claim(request_with(authorization=header, query=twice))
        with pytest.raises(MalformedClaim):
            read_claim(request_with(authorization=header, form=twice))
        with pytest.raises(MalformedClaim):
            read_claim(request_with(query=urlencode(parameters()), form=twice))

    def test_parameters_spread_over_two_places_are_refused(self, name: str) -> None:
        """The RFC wants them in one and only one place (3.5), and so does oauthlib."""
        rest = parameters(**{name: None})

        with pytest.raises(MalformedClaim):
            read_claim(request_with(authorization=header_of(rest), query=duplicated(name)))


def test_parameters_spread_over_two_places_are_judged_as_oauthlib_does() -> None:
    signed = without_form()
    assert signed.authorization is not None
    moved = msgspec.structs.replace(
        signed,
        url=f"{signed.url}&oauth_nonce=the-nonce",
        authorization=signed.authorization.replace('oauth_nonce="the-nonce", ', ""),
    )
    assert is_right(signed)

    assert is_right(moved) is oauthlibs_verdict(moved, STRINGS)


@pytest.mark.parametrize(
    "authorization",
    ["OAuth", "OAuth ", "OAuth  ", "OAuth ,", "OAuth =", "OAuth a", "OAuth a=", 'OAuth a="', "OAuth a=b,,"],
)
def test_a_header_without_parameters_that_can_be_read_is_refused(authorization: str) -> None:
    with pytest.raises(MalformedClaim):
        read_claim(request_with(authorization=authorization))


@pytest.mark.parametrize("query", ["a=[", "a=é", 'a="', "a=%zz", "a=%1g", "a b", "a=\\", "a=<"])
def test_a_query_that_is_not_percent_encoded_is_refused(query: str) -> None:
    with pytest.raises(MalformedClaim):
        read_claim(request_with(authorization=header_of(parameters()), query=query))


@pytest.mark.parametrize("host", ["", "a:b", "a:99999", "a:-1", "a:0", "[::1", "::1]", ":80", "\u2100.example.com"])
def test_a_host_that_is_none_is_refused(host: str) -> None:
    with pytest.raises(MalformedClaim):
        read_claim(msgspec.structs.replace(in_header(), host=host))


def test_a_form_of_a_mebibyte_is_not_laboured_over_before_anyone_is_known() -> None:
    form = urlencode(parameters()) + "&a" * (500 * 1024)

    before = time.process_time()
    with contextlib.suppress(MalformedClaim):
        read_claim(request_with(form=form))

    assert time.process_time() - before < 0.5


def _judged(parts: SignedParts, body: bytes = b"") -> bool:
    """The verdict on any request at all; whatever is raised is a bug."""
    try:
        claim = read_claim(parts)
    except MalformedClaim:
        return False
    return signature_is_right(claim, "secret", "secret", body)


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


@settings(max_examples=250, deadline=None)
@given(in_one_place | anywhere)
def test_any_header_query_and_form_is_malformed_or_wrong(parts: SignedParts) -> None:
    assert not _judged(parts, (parts.form or "").encode())


@settings(max_examples=100, deadline=None)
@given(method=latin_1, host=latin_1 | hosts, path=latin_1.map("/{}".format))
def test_any_method_host_and_path_is_malformed_or_wrong(method: str, host: str, path: str) -> None:
    assert not _judged(msgspec.structs.replace(in_header(), method=method, host=host, path=path))
