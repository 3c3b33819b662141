"""Signed requests for the tests of OAuth 1.0a, and oauthlib's verdict on them."""

import base64
import re
from typing import Any
from urllib.parse import quote, unquote, urlencode, urlsplit

import msgspec
from hypothesis import assume
from hypothesis import strategies as st
from oauthlib.common import urldecode
from oauthlib.oauth1 import (
    SIGNATURE_HMAC_SHA1,
    SIGNATURE_HMAC_SHA256,
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
    """A request as it is sent."""

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
    """`signed` with every occurrence of `old` replaced."""
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


class Permissive(RequestValidator):  # type: ignore[misc]  # oauthlib has no types
    """Accepts every key, token and nonce of 1 to 255 printable characters, as we do, so only the signature counts."""

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


def without_room(signed: Signed) -> Signed:
    """Around the equals signs of its header: RFC 7235 section 2.1 has recipients accept it, and oauthlib does not."""
    if signed.authorization is None:
        return signed
    closed = re.sub(r'"[^"]*"|\s*=\s*', lambda found: found[0] if found[0][0] == '"' else "=", signed.authorization)
    return msgspec.structs.replace(signed, authorization=closed)


def is_decoded_twice(signed: Signed) -> bool:
    """By oauthlib, client and server alike: OAuth parameters of a query or a form, where RFC 5849 section 3.4.1.3.1
    decodes them once. It is seen in what looks encoded when it is decoded."""
    places = [urlsplit(signed.url).query, signed.body if signed.is_form else None]
    try:
        pairs = [pair for place in places if place for pair in urldecode(place)]
    except ValueError:
        return False
    return any(name.startswith("oauth_") and unquote(value) != value for name, value in pairs)


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
