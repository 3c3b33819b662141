"""One HTTP request to a given address, without following redirects, which reads only the beginning of the response."""

import asyncio
import errno
import ssl

import msgspec

from sitewright.kit.dns.client import Lookups
from sitewright.kit.problems import Unavailable

MAX_HEAD_BYTES = 16_384
MAX_BODY_BYTES = 512
NO_ROUTE = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)
USER_AGENT = "Sitewright-health-check (bot)"


class Unreached(Exception):
    """There was no response; the message is a short reason."""


class NoRoute(Unreached):
    """This machine has no connection to addresses of that family."""


class Response(msgspec.Struct, frozen=True):
    status: int
    headers: dict[str, str]
    """Names in lower case; of repeated headers the first."""
    body: str
    peer_certificate: bytes | None = None


async def request(
    lookups: Lookups, address: str, port: int, host: str, path: str, *, method: str, tls: ssl.SSLContext | None = None
) -> Response:
    """Raises `Unreached`, or `ssl.SSLCertVerificationError` for a context that verifies."""
    try:
        async with lookups.slot(), asyncio.timeout(lookups.seconds_left):
            return await _exchange(address, port, host, path, method, tls)
    except ssl.SSLCertVerificationError:
        raise
    except (TimeoutError, Unavailable):
        raise Unreached("timeout") from None
    except ssl.SSLError as error:
        raise Unreached(f"TLS: {error.reason or 'failed'}") from None
    except OSError as error:
        if error.errno in NO_ROUTE:
            raise NoRoute("no route") from None
        raise Unreached(errno.errorcode.get(error.errno or 0, "connection failed")) from None
    except (ValueError, EOFError, asyncio.LimitOverrunError):
        raise Unreached("not HTTP") from None


class _Protocol(asyncio.StreamReaderProtocol):
    def connection_lost(self, exc: Exception | None) -> None:
        """An error of TLS is raised where the connection is made; here it would be logged as never retrieved."""
        super().connection_lost(None if isinstance(exc, ssl.SSLError) else exc)


async def _exchange(address: str, port: int, host: str, path: str, method: str, tls: ssl.SSLContext | None) -> Response:
    loop, reader = asyncio.get_running_loop(), asyncio.StreamReader(limit=MAX_HEAD_BYTES)
    transport, protocol = await loop.create_connection(lambda: _Protocol(reader), address, port)
    writer = asyncio.StreamWriter(transport, protocol, reader, loop)
    try:
        if tls is not None:
            # Not by `create_connection`: cancelled between connection and handshake, it leaves an error that is logged.
            await writer.start_tls(tls, server_hostname=host)
        peer = writer.get_extra_info("ssl_object")
        peer_certificate = None if peer is None else peer.getpeercert(binary_form=True)
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", f"User-Agent: {USER_AGENT}", "Accept: */*"]
        writer.write("\r\n".join([*lines, "Connection: close", "", ""]).encode("ascii"))
        await writer.drain()
        status, headers = _parse_head(await reader.readuntil(b"\r\n\r\n"))
        body = b"" if method == "HEAD" else await _read_body(reader, headers)
        return Response(status, headers, body.decode("latin-1"), peer_certificate)
    finally:
        writer.transport.abort()


async def _read_body(reader: asyncio.StreamReader, headers: dict[str, str]) -> bytes:
    length = headers.get("content-length", "")
    wanted = min(int(length), MAX_BODY_BYTES) if length.isascii() and length.isdecimal() else MAX_BODY_BYTES
    try:
        return await reader.readexactly(wanted)
    except asyncio.IncompleteReadError as rest:
        return rest.partial


def _parse_head(head: bytes) -> tuple[int, dict[str, str]]:
    first, *lines = head.decode("latin-1").split("\r\n")
    version, _, rest = first.partition(" ")
    if not version.startswith("HTTP/1."):
        raise ValueError("not HTTP")
    headers: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(":")
        headers.setdefault(name.strip().lower(), value.strip())
    return int(rest[:3]), headers
