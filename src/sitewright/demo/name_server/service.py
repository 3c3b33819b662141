"""The name server itself: its sockets, and what tests and the demo do with it."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, cast

import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.opcode
import dns.rcode
import dns.rdatatype
import dns.tsig
import dns.tsigkeyring
import dns.update

from sitewright.demo.name_server.answering import respond
from sitewright.demo.name_server.records import DEFAULT_TTL, Records
from sitewright.demo.name_server.updates import update
from sitewright.kit.http.server import listen

LOOPBACK = "127.0.0.1"
PLAIN_UDP_BYTES = 512
MAX_UDP_BYTES = 1232
Sockets = tuple[socket.socket, socket.socket]
"""For UDP and TCP, on one port."""
_log = logging.getLogger("sitewright.demo.name_server")


class NameServer:
    def __init__(self, records: Records, keys: Mapping[str, str], address: str, *, fallback: bool = True) -> None:
        """`keys`: TSIG keys of updates, base64 by name. `fallback`: False for the primary of the zones alone."""
        self.address = address
        """As the setting `dns_resolvers` takes it: 127.0.0.1:5300."""
        self._records = records
        self._fallback = fallback and bool(records.fallback)
        self._keyring = dns.tsigkeyring.from_text(dict(keys))

    def set(self, name: str, rdtype: str, values: Iterable[str], ttl: int = DEFAULT_TTL) -> None:
        """Replace an RRset: `server.set("www.shop.example", "A", ["127.0.0.1"])`."""
        self._records.set(dns.name.from_text(name), dns.rdatatype.from_text(rdtype), values, ttl)
        self._records.save()

    def remove(self, name: str, rdtype: str | None = None) -> None:
        """Remove an RRset, or everything at the name."""
        if rdtype is None:
            self._records.remove(dns.name.from_text(name))
        else:
            self._records.set(dns.name.from_text(name), dns.rdatatype.from_text(rdtype), [], DEFAULT_TTL)
        self._records.save()

    def add_zone(self, zone: str) -> None:
        """From now on only what was set exists in the zone."""
        self._records.add_zone(dns.name.from_text(zone))
        self._records.save()

    def respond(self, wire: bytes, *, max_bytes: int | None) -> bytes | None:
        """The response to a message as it came; None where it is none. `max_bytes`: of a UDP response, without EDNS."""
        try:
            query = dns.message.from_wire(wire, keyring=self._keyring)
        except (dns.message.UnknownTSIGKey, dns.tsig.BadSignature, dns.tsig.BadTime) as error:
            _log.info("a message with an invalid signature: %s", error)
            return _failure(wire, dns.rcode.NOTAUTH)
        except dns.exception.DNSException:
            return _failure(wire, dns.rcode.FORMERR)
        if query.flags & dns.flags.QR:
            return None
        response = self._response(query)
        if max_bytes is None:
            return response.to_wire()
        return _fitting(response, min(MAX_UDP_BYTES, max(max_bytes, query.payload if query.edns >= 0 else 0)))

    def _response(self, query: dns.message.Message) -> dns.message.Message:
        if isinstance(query, dns.update.UpdateMessage):
            return update(self._records, query)
        if query.opcode() == dns.opcode.QUERY and len(query.question) == 1:
            return respond(self._records, query, fallback=self._fallback)
        response = dns.message.make_response(query)
        response.set_rcode(dns.rcode.NOTIMP)
        return response


def _failure(wire: bytes, code: dns.rcode.Rcode) -> bytes | None:
    """A response without a signature to a message that cannot be read."""
    if len(wire) < 12 or wire[2] & 0x80:
        return None
    opcode = wire[2] & 0x78
    return wire[:2] + bytes([0x80 | opcode, int(code)]) + bytes(8)


def _fitting(response: dns.message.Message, max_bytes: int) -> bytes:
    """The response, or where it is too long only its header: the client asks again by TCP."""
    try:
        return response.to_wire(max_size=max_bytes)
    except dns.exception.TooBig:
        response.flags |= dns.flags.TC
        response.answer, response.authority, response.additional = [], [], []
        return response.to_wire()


class Datagrams(asyncio.DatagramProtocol):
    def __init__(self, server: NameServer) -> None:
        self._server = server

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, addr: tuple[str | Any, int]) -> None:
        response = self._server.respond(data, max_bytes=PLAIN_UDP_BYTES)
        if response is not None:
            self._transport.sendto(response, addr)


async def _serve_stream(server: NameServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Messages with their length before them, until the client closes the connection, or the server ends."""
    with suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
        while True:
            length = int.from_bytes(await reader.readexactly(2), "big")
            response = server.respond(await reader.readexactly(length), max_bytes=None)
            if response is None:
                break
            writer.write(len(response).to_bytes(2, "big") + response)
            await writer.drain()
    writer.close()


@asynccontextmanager
async def name_server(
    zones: Iterable[str] = (),
    *,
    fallback: Sequence[str] = (),
    keys: Mapping[str, str] | None = None,
    file: Path | None = None,
    listeners: Sockets | None = None,
) -> AsyncIterator[NameServer]:
    """A running name server. `file` keeps its records; `listeners`: bound sockets for UDP and TCP, by default on a
    free port of the loopback interface."""
    sockets = listeners or bind(0)
    server = NameServer(Records(zones, fallback, LOOPBACK, file), keys or {}, address_of(sockets))
    async with serving(server, sockets):
        yield server


@asynccontextmanager
async def serving(server: NameServer, sockets: Sockets) -> AsyncIterator[None]:
    datagrams, streams = sockets
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(lambda: Datagrams(server), sock=datagrams)

    async def serve_stream(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _serve_stream(server, reader, writer)

    listening = await asyncio.start_server(serve_stream, sock=streams)
    try:
        yield
    finally:
        transport.close()
        listening.close()


def bind(port: int) -> Sockets:
    """Sockets for UDP and TCP on one port of the loopback interface: the given one, or a free one."""
    while True:
        streams = listen(LOOPBACK, port)
        datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            datagrams.bind((LOOPBACK, streams.getsockname()[1]))
        except OSError:
            datagrams.close()
            streams.close()
            if port:
                raise
            continue
        datagrams.setblocking(False)
        return datagrams, streams


def address_of(sockets: Sockets) -> str:
    """As settings take it: 127.0.0.1:5300."""
    host, port = sockets[0].getsockname()[:2]
    return f"{host}:{port}"
