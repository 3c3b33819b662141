"""Any bytes in an Authorization header: 401, or 400 if it is not HTTP; never a 500 or a hang."""

import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sitewright.kit.auth.authenticator import MAX_AUTHORIZATION
from tests.support.cast import OWN_BRAND
from tests.support.wire import exchange, status_of

HEADER_BYTES = st.binary(max_size=300).map(lambda raw: raw.translate(None, b"\r\n"))
OAUTH_LIKE = st.lists(
    st.tuples(
        st.sampled_from(["oauth_consumer_key", "oauth_token", "oauth_nonce", "oauth_timestamp", "oauth_signature",
                         "oauth_signature_method", "oauth_version", "oauth_body_hash", "realm"]),
        st.text(max_size=40),
    )
).map(lambda pairs: ", ".join(f'{name}="{value}"' for name, value in pairs))  # fmt: skip


async def status_with(base_url: str, authorization: bytes) -> int:
    head = f"GET /brands/{OWN_BRAND}/languages HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: "
    return status_of(await exchange(base_url, head.encode() + authorization + b"\r\n\r\n"))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(scheme=st.sampled_from([b"OAuth ", b"Basic ", b"oauth ", b"", b"Bearer ", b"Digest "]), rest=HEADER_BYTES)
async def test_arbitrary_bytes(base_url: str, clean: None, scheme: bytes, rest: bytes) -> None:
    assert await status_with(base_url, scheme + rest) in (400, 401)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rest=OAUTH_LIKE)
async def test_malformed_oauth_headers(base_url: str, clean: None, rest: str) -> None:
    header = f"OAuth {rest}".encode().translate(None, b"\r\n")
    assert await status_with(base_url, header) in (400, 401)


@pytest.mark.parametrize("header", [b'OAuth a=%bx"', b"OAuth %bx", b'OAuth a%b="', b'OAuth a="%b', b"Basic %b\x80"])
@pytest.mark.parametrize("length", [MAX_AUTHORIZATION - 20, 60_000])
async def test_long_runs_of_spaces_are_rejected_quickly(base_url: str, clean: None, header: bytes, length: int) -> None:
    """Spaces after `a=` once blocked a process for 52 s. The server runs in the thread of the test."""
    started = time.thread_time()
    assert await status_with(base_url, header % (b" " * length)) == 401
    assert time.thread_time() - started < 1


async def test_the_size_of_an_authorization_header_is_limited(base_url: str, clean: None) -> None:
    head = f"GET /brands/{OWN_BRAND}/languages HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Basic "
    response = await exchange(base_url, head.encode() + b"a" * MAX_AUTHORIZATION + b"\r\n\r\n")
    assert status_of(response) == 401
    assert b"at most 8 KiB" in response
