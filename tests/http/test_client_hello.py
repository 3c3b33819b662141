"""The server name in a client's first bytes: as OpenSSL writes them, in parts, and malformed."""

import ssl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitewright.kit.http.client_hello import MAX_HELLO_BYTES, Incomplete, NotTls, server_name
from tests.support.depth import cases

HOST = "www.shop.example"


def hello(name: str | None = HOST, highest: ssl.TLSVersion = ssl.TLSVersion.TLSv1_3) -> bytes:
    """The first bytes of a client."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.maximum_version = highest
    sent = ssl.MemoryBIO()
    client = context.wrap_bio(ssl.MemoryBIO(), sent, server_hostname=name)
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    return sent.read()


HELLO = hello()


def in_records(message: bytes, size: int) -> bytes:
    parts = [message[at : at + size] for at in range(0, len(message), size)]
    return b"".join(b"\x16\x03\x01" + len(part).to_bytes(2) + part for part in parts)


@pytest.mark.parametrize("highest", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_the_server_name_is_read(highest: ssl.TLSVersion) -> None:
    assert server_name(hello(HOST, highest)) == HOST


def test_without_sni_there_is_no_name() -> None:
    assert server_name(hello(None)) is None


def test_bytes_after_the_hello_are_ignored() -> None:
    assert server_name(HELLO + b"early data") == HOST


@pytest.mark.parametrize("length", [0, 1, 2, 4, 5, 6, 9, 100, len(HELLO) - 1])
def test_a_part_of_a_hello_is_incomplete(length: int) -> None:
    with pytest.raises(Incomplete):
        server_name(HELLO[:length])


@pytest.mark.parametrize("size", [80, 200])
def test_a_hello_in_many_records(size: int) -> None:
    sent = in_records(HELLO[5:], size)
    assert server_name(sent) == HOST
    with pytest.raises(Incomplete):
        server_name(sent[:-1])


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\r\n",
        b"\x80\x2e\x01\x00\x02",  # SSL 2
        b"\x17\x03\x03\x00\x05hello",
        b"\x16\x02",
        b"\x16\x03\x01\x00\x00",  # nothing in it
        b"\x16\x03\x01\x00\x05\x02\x00\x00\x01\x00",  # a server's
        b"\x16\x03\x01\xff\xff",
        in_records(HELLO[5:], 1),
        in_records(HELLO[5:], 50),
        in_records(b"\x01" + (MAX_HELLO_BYTES * 2).to_bytes(3) + bytes(MAX_HELLO_BYTES * 2), 4000),
    ],
)
def test_bytes_that_are_not_tls(sent: bytes) -> None:
    with pytest.raises(NotTls):
        server_name(sent)


@cases(300, 20_000)
@given(st.binary(max_size=400), st.integers(0, len(HELLO)), st.integers(0, 40))
def test_arbitrary_bytes_raise_only_declared_errors(noise: bytes, at: int, skipped: int) -> None:
    for sent in (noise, HELLO[:at] + noise + HELLO[at + skipped :], b"\x16\x03\x01" + len(noise).to_bytes(2) + noise):
        try:
            name = server_name(sent)
        except (NotTls, Incomplete):
            continue
        assert name is None or len(name) < MAX_HELLO_BYTES
