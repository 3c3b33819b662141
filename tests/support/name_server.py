"""A name server on loopback with every fault on demand: it refuses, is silent, truncates, and breaks signatures."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import dns.dnssec
import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdatatype
import dns.rrset
from cryptography.hazmat.primitives.asymmetric import ed25519

from sitewright.kit import clock

SILENT, TRUNCATED = "silent", "truncated"
Sockets = tuple[socket.socket, socket.socket]


def bind(address: str = "127.0.0.1") -> Sockets:
    """UDP and TCP on one port."""
    while True:
        udp, tcp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM), socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        udp.bind((address, 0))
        try:
            tcp.bind((address, udp.getsockname()[1]))
        except OSError:
            udp.close()
            tcp.close()
            continue
        return udp, tcp


class Zone:
    """A signed zone."""

    def __init__(self, name: str) -> None:
        self.name = dns.name.from_text(name)
        self.key = ed25519.Ed25519PrivateKey.generate()
        self.dnskey = dns.dnssec.make_dnskey(self.key.public_key(), "ED25519", flags=257)
        self.expires = clock.real_now() + timedelta(days=30)
        self.signatures = 1
        """Of each set of records."""

    @property
    def ds(self) -> str:
        return dns.dnssec.make_ds(self.name, self.dnskey, "SHA256").to_text()

    def sign(self, rrset: dns.rrset.RRset) -> dns.rrset.RRset:
        begins = (self.expires - timedelta(days=40)).timestamp()
        made: list[Any] = [
            dns.dnssec.sign(
                rrset, self.key, self.name, self.dnskey, inception=begins, expiration=self.expires.timestamp() - number
            )
            for number in range(self.signatures)
        ]
        return dns.rrset.from_rdata(rrset.name, rrset.ttl, *made)


class NameServer:
    def __init__(self, sockets: Sockets | None = None) -> None:
        self.sockets = sockets or bind()
        self.records: dict[tuple[dns.name.Name, str], dns.rrset.RRset] = {}
        self.faults: dict[tuple[str, str], str] = {}
        """By name and type; `*` is every one. A response code, `silent` or `truncated` (over UDP)."""
        self.queries: list[tuple[str, str]] = []
        self.signed: dict[dns.name.Name, Zone] = {}
        self.refuses_edns = False

    @property
    def address(self) -> str:
        host, port = self.sockets[0].getsockname()
        return f"{host}:{port}"

    def set(self, name: str, kind: str, *values: str, ttl: int = 300) -> None:
        owner = dns.name.from_text(name)
        self.records[owner, kind] = dns.rrset.from_text(owner, ttl, "IN", kind, *values)

    def remove(self, name: str, kind: str) -> None:
        self.records.pop((dns.name.from_text(name), kind), None)

    def add_zone(self, name: str, *name_servers: str) -> None:
        """With a SOA record; name servers are on loopback."""
        self.set(name, "SOA", f"ns.{name}. admin.{name}. 1 3600 600 86400 300")
        if name_servers:
            self.set(name, "NS", *(f"{each}." for each in name_servers))

    def sign(self, name: str) -> Zone:
        zone = Zone(name)
        self.signed[zone.name] = zone
        self.records[zone.name, "DNSKEY"] = dns.rrset.from_rdata(zone.name, 300, zone.dnskey)
        return zone

    def fail(self, fault: str, name: str = "*", kind: str = "*") -> None:
        self.faults[name, kind] = fault

    def clear(self) -> None:
        for kept in (self.records, self.faults, self.queries, self.signed):
            kept.clear()

    def respond(self, wire: bytes, *, is_udp: bool) -> bytes | None:
        query = dns.message.from_wire(wire)
        question = query.question[0]
        kind, name = dns.rdatatype.to_text(question.rdtype), question.name.to_text(omit_final_dot=True).lower()
        self.queries.append((name, kind))
        places = [(name, kind), (name, "*"), ("*", kind), ("*", "*")]
        fault = next((self.faults[each] for each in places if each in self.faults), None)
        if self.refuses_edns and query.edns >= 0:
            fault = "FORMERR"
        if fault == SILENT:
            return None
        response = dns.message.make_response(query, recursion_available=True)
        response.flags |= dns.flags.AA
        if fault == TRUNCATED and is_udp:
            response.flags |= dns.flags.TC
        elif fault is not None and fault != TRUNCATED:
            response.set_rcode(dns.rcode.from_text(fault))
        else:
            self._fill(response, question.name, kind, wants_signatures=bool(query.ednsflags & dns.flags.DO))
        return response.to_wire(max_size=65_535)

    def _fill(self, response: dns.message.Message, name: dns.name.Name, kind: str, *, wants_signatures: bool) -> None:
        seen: set[dns.name.Name] = set()
        while (name, kind) not in self.records and (name, "CNAME") in self.records and name not in seen:
            seen.add(name)
            alias = self.records[name, "CNAME"]
            response.answer.append(alias)
            name = alias[0].target
        found = self.records.get((name, kind))
        if found is not None:
            response.answer.append(found)
            if wants_signatures and (zone := self._zone_of(name)) is not None:
                response.answer.append(zone.sign(found))
            return
        if not any(owner == name or owner.is_subdomain(name) for owner, _ in self.records):
            response.set_rcode(dns.rcode.NXDOMAIN)
        soa = next((self.records[each, "SOA"] for each in _ancestors(name) if (each, "SOA") in self.records), None)
        if soa is not None:
            response.authority.append(soa)

    def _zone_of(self, name: dns.name.Name) -> Zone | None:
        return next((self.signed[each] for each in _ancestors(name) if each in self.signed), None)

    @asynccontextmanager
    async def serving(self) -> AsyncIterator["NameServer"]:
        loop, (udp, tcp) = asyncio.get_running_loop(), self.sockets
        transport, _ = await loop.create_datagram_endpoint(lambda: _Datagrams(self), sock=udp)
        server = await asyncio.start_server(self._serve_stream, sock=tcp)
        yield self
        transport.close()
        server.close()

    async def _serve_stream(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        length = int.from_bytes(await reader.readexactly(2))
        response = self.respond(await reader.readexactly(length), is_udp=False)
        if response is not None:
            writer.write(len(response).to_bytes(2) + response)
            await writer.drain()
        writer.close()


class _Datagrams(asyncio.DatagramProtocol):
    def __init__(self, server: NameServer) -> None:
        self._server = server

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def datagram_received(self, data: bytes, sender: Any) -> None:
        response = self._server.respond(data, is_udp=True)
        if response is not None:
            self._transport.sendto(response, sender)


def _ancestors(name: dns.name.Name) -> Iterable[dns.name.Name]:
    while name != dns.name.root:
        yield name
        name = name.parent()


@asynccontextmanager
async def name_server() -> AsyncIterator[NameServer]:
    async with NameServer().serving() as server:
        yield server
