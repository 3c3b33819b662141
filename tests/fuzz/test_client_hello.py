"""The first bytes of a TLS client: any bytes name a host, name none, are incomplete or are not TLS."""

import contextlib
import ssl

from hypothesis import given
from hypothesis import strategies as st

from sitewright.kit.http.client_hello import Incomplete, NotTls, server_name
from tests.support.fuzzing import fuzzed

HOST = "www.bakery.example"


def hello(name: str | None) -> bytes:
    """As OpenSSL sends it."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    outgoing = ssl.MemoryBIO()
    client = context.wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname=name)
    with contextlib.suppress(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


WHOLE = hello(HOST)
SENT = [WHOLE, hello(None), WHOLE[:60]]


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A ClientHello with some bytes changed, inserted or removed."""
    sent = bytearray(draw(st.sampled_from(SENT)))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(sent)))
        sent[at : at + draw(st.integers(0, 3))] = draw(st.binary(max_size=3))
    return bytes(sent)


@fuzzed(300)
@given(damaged() | st.binary(max_size=100) | st.integers(0, len(WHOLE)).map(lambda cut: WHOLE[:cut]))
def test_any_bytes_name_a_host_or_none(sent: bytes) -> None:
    try:
        name = server_name(sent)
    except (NotTls, Incomplete):
        return
    assert name is None or name.isascii()


@fuzzed(100)
@given(st.integers(1, len(WHOLE) - 1))
def test_a_hello_is_unfinished_until_it_is_whole(cut: int) -> None:
    try:
        server_name(WHOLE[:cut])
    except Incomplete:
        assert server_name(WHOLE) == HOST
    else:
        raise AssertionError("nothing was missed")
