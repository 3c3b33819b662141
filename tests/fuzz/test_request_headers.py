"""Headers for credentials, API release and idempotency: parsed, or rejected with their own error."""

import base64
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.provisional import domains

from sitewright.edge.request import host_of
from sitewright.kit.auth.authenticator import _read_basic
from sitewright.kit.hosts import normalize
from sitewright.kit.http.call import FORM, Request
from sitewright.kit.http.idempotency import MAX_KEY, IdempotentRequest
from sitewright.kit.http.request_context import RequestContext
from sitewright.kit.key_file import new_key
from sitewright.kit.origin import Origin
from sitewright.kit.problems import Invalid, Unauthenticated
from sitewright.kit.sealing import Sealer
from sitewright.kit.versions import NEWEST, UnknownVersion, release_of
from tests.support.fuzzing import fuzzed

HEADER = st.text(st.characters(max_codepoint=255), max_size=300)
VERSIONS = st.lists(st.sampled_from(["7", ".", "v", "1", "06", "106", "107", "0", " ", "\t", "²", "V", "-", "+"])).map(
    "".join
)


@fuzzed(300)
@given(VERSIONS | HEADER)
def test_any_version_is_a_release_or_unknown(header: str) -> None:
    try:
        number = release_of(header)
    except UnknownVersion:
        return
    assert 1 <= number <= NEWEST
    assert {release_of(f"7.{number}"), release_of(f"v{number}"), release_of(str(number))} == {number}


def request(key: str, query: bytes, body: bytes, content_type: str) -> Request:
    headers = {"idempotency-key": key, "content-type": content_type}
    context = RequestContext("request", "POST", version="7.106")
    origin = Origin("::1", "http", "h", True)
    return Request(context=context, origin=origin, path="/", query=query, headers=headers, body=body, receive=receive)


async def receive() -> dict[str, Any]:
    return {"type": "http.disconnect"}


SEALER = Sealer(new_key())
QUERIES = st.binary(max_size=40) | st.text("ab=&%+;0Fé", max_size=40).map(str.encode)


@fuzzed(300)
@given(HEADER, QUERIES, QUERIES, st.sampled_from([FORM, "application/json", ""]))
def test_any_key_is_stored_or_refused_and_signing_anew_is_the_same_request(
    key: str, query: bytes, body: bytes, content_type: str
) -> None:
    try:
        first = IdempotentRequest.read(request(key, query, body, content_type), "credential:1", SEALER)
    except Invalid:
        assert not 1 <= len(key) <= MAX_KEY
        return
    signed = b"&".join(filter(None, [query, b"oauth_nonce=1"]))
    assert IdempotentRequest.read(request(key, signed, body, content_type), "credential:1", SEALER) == first


@fuzzed(300)
@given(HEADER | st.binary(max_size=40).map(lambda raw: base64.b64encode(raw).decode()))
def test_any_basic_credentials_are_a_name_and_a_password_or_none(shown: str) -> None:
    try:
        username, password = _read_basic(f"Basic {shown}")
    except Unauthenticated:
        return
    assert 1 <= len(username) <= 255
    assert ":" not in username
    assert base64.b64decode(shown.strip()).decode() == f"{username}:{password}"


HOSTS = st.text("aZ.0-:ü。[]%", max_size=30).map(str.encode) | st.binary(max_size=40) | domains().map(str.encode)


@fuzzed(300, share=0.5)
@given(HOSTS, st.sampled_from([b"", b":", b":80", b":99999", b":123456", b":x"]))
def test_any_host_header_is_a_normal_host_name_or_none(host: bytes, port: bytes) -> None:
    read = host_of(host + port)
    if read is not None:
        assert normalize(read.name) == read.name
        assert host_of(f"{read.name}{read.port}".encode()) == read
