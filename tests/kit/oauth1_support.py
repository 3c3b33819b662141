"""Signs requests with oauthlib for the tests of OAuth 1.0a, and returns oauthlib's own verdict on them."""

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

from sitewright.kit.auth.oauth1 import MalformedClaim, SignedParts, read_claim, signature_matches

FORM = "application/x-www-form-urlencoded"
# Where a client may put the OAuth parameters.
HEADER, QUERY, BODY = SIGNATURE_TYPE_AUTH_HEADER, SIGNATURE_TYPE_QUERY, SIGNATURE_TYPE_BODY
SIGNATURE_METHODS = [SIGNATURE_HMAC_SHA1, SIGNATURE_HMAC_SHA256]
REQUIRED = ["consumer_key", "token", "signature_method", "timestamp", "nonce", "signature"]


class Credentials(msgspec.Struct, frozen=True):
    """What a client signs with: a consumer's key and secret, an access token and its secret."""

    key: str = "the-key"
    secret: str = "the secret & more"
    token: str = "the-token"
    token_secret: str = "tökén/secret"


class SignedRequest(msgspec.Struct, frozen=True, kw_only=True):
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


CREDENTIALS = Credentials()
ANOTHER_SIGNATURE = base64.b64encode(b"a" * 20).decode()


def sign(
    method: str = "POST",
    url: str = "https://api.example.com/users?limit=5&name=J%C3%BCrgen%20M",
    body: str | None = "email=a%40example.com&name=J+M",
    content_type: str | None = FORM,
    *,
    credentials: Credentials = CREDENTIALS,
    client: type[Client] = Client,
    realm: str | None = None,
    **options: Any,
) -> SignedRequest:
    """Sign a request with oauthlib; `options` are those of oauthlib's client."""
    key_and_token = (credentials.key, credentials.secret, credentials.token, credentials.token_secret)
    signer = client(*key_and_token, **{"nonce": "the-nonce", "timestamp": "1700000000"} | options)
    headers = {} if content_type is None else {"Content-Type": content_type}
    signed_url, signed_headers, signed_body = signer.sign(url, method, body, headers, realm=realm)
    return SignedRequest(
        method=method,
        url=signed_url,
        authorization=signed_headers.get("Authorization"),
        body=signed_body,
        content_type=content_type,
    )


def is_valid(signed: SignedRequest, credentials: Credentials = CREDENTIALS) -> bool:
    """Whether the service's own code accepts the request."""
    try:
        claim = read_claim(signed.parts)
    except MalformedClaim:
        return False
    return signature_matches(claim, credentials.secret, credentials.token_secret, (signed.body or "").encode())


def replaced(signed: SignedRequest, old: str, new: str) -> SignedRequest:
    """`signed` with every occurrence of `old` replaced."""
    changed = msgspec.structs.replace(
        signed,
        url=signed.url.replace(old, new),
        authorization=signed.authorization and signed.authorization.replace(old, new),
        body=signed.body and signed.body.replace(old, new),
    )
    assert changed != signed, f"{old} does not occur"
    return changed


def signed_get(**options: Any) -> SignedRequest:
    """A signed GET, which has no body."""
    return sign("GET", body=None, content_type=None, **options)


class Permissive(RequestValidator):  # type: ignore[misc]  # oauthlib has no types
    """Accepts every key, token and nonce of 1 to 255 printable characters, as the service does, and every timestamp,
    so that only the signature decides."""

    enforce_ssl = False
    timestamp_lifetime = 10**10
    allowed_signature_methods = tuple(SIGNATURE_METHODS)
    dummy_client = dummy_access_token = "dummy"

    def __init__(self, credentials: Credentials) -> None:
        super().__init__()
        self.credentials = credentials

    def check_client_key(self, client_key: str) -> bool:
        return 1 <= len(client_key) <= 255 and client_key.isprintable()

    check_nonce = check_access_token = check_client_key

    def validate_timestamp_and_nonce(self, *_: Any, **__: Any) -> bool:
        return True

    validate_client_key = validate_access_token = validate_realms = validate_timestamp_and_nonce

    def get_client_secret(self, *_: Any) -> str:
        return self.credentials.secret

    def get_access_token_secret(self, *_: Any) -> str:
        return self.credentials.token_secret


def oauthlibs_verdict(signed: SignedRequest, credentials: Credentials) -> bool:
    headers = {"Content-Type": signed.content_type, "Authorization": signed.authorization}
    try:
        valid, _ = ResourceEndpoint(Permissive(credentials)).validate_protected_resource_request(
            signed.url, signed.method, signed.body, {name: value for name, value in headers.items() if value}
        )
    except ValueError:  # oauthlib raises it for a malformed header or query
        return False
    return bool(valid)


def can_be_read_as_form(text: str) -> bool:
    try:
        urldecode(text)
    except ValueError:
        return False
    return True


def without_spaces_around_equals(signed: SignedRequest) -> SignedRequest:
    """Remove spaces around the equals signs of the header, which recipients must accept (RFC 7235, section 2.1).

    oauthlib does not accept them."""
    if signed.authorization is None:
        return signed
    without_spaces = re.sub(
        r'"[^"]*"|\s*=\s*', lambda found: found[0] if found[0][0] == '"' else "=", signed.authorization
    )
    return msgspec.structs.replace(signed, authorization=without_spaces)


def oauthlib_decodes_twice(signed: SignedRequest) -> bool:
    """Whether oauthlib's percent-decoding differs from that of RFC 5849 (section 3.4.1.3.1).

    oauthlib decodes OAuth parameters of a query or a form twice, and the RFC once. The results differ if a decoded
    value contains percent-encoding again."""
    texts = [urlsplit(signed.url).query, signed.body if signed.is_form else None]
    try:
        pairs = [pair for text in texts if text for pair in urldecode(text)]
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
any_credentials = st.builds(Credentials, names, text, names, text)


@st.composite
def signed_requests(draw: st.DrawFn) -> tuple[SignedRequest, Credentials]:
    credentials = draw(any_credentials)
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
            credentials=credentials,
            signature_type=place,
            signature_method=draw(st.sampled_from(SIGNATURE_METHODS)),
            nonce=draw(names | st.text(max_size=2)),
            timestamp=str(draw(st.integers(10**9, 10**10 - 1))),
        )
    except ValueError:  # oauthlib cannot sign this request
        assume(False)
    return signed, credentials


@st.composite
def damaged(draw: st.DrawFn, whole: str | None) -> str | None:
    """`whole` with a few characters removed, inserted or replaced."""
    if whole is None:
        return None
    start = draw(st.integers(0, len(whole)))
    end = draw(st.integers(start, min(len(whole), start + 3)))
    return whole[:start] + draw(st.text(alphabet='aA1=&%+,"; [', max_size=3)) + whole[end:]


@st.composite
def tampered_requests(draw: st.DrawFn) -> tuple[SignedRequest, Credentials]:
    """Signed requests of which one part was changed afterwards. Another order of the query keeps them valid."""
    signed, credentials = draw(signed_requests())
    match draw(st.sampled_from(["method", "query", "path", "header", "body", "credentials", "query order"])):
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
        case "credentials":
            credentials = draw(any_credentials)
        case "query order":
            front, mark, query = signed.url.partition("?")
            signed = msgspec.structs.replace(signed, url=front + mark + "&".join(reversed(query.split("&"))))
    return signed, credentials
