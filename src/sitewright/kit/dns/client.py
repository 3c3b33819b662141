"""Sends queries: over UDP, over TCP where the response does not fit, a bounded number at a time."""

import asyncio
import socket
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import dns.asyncquery
import dns.flags
import dns.inet
import dns.message
import dns.rcode
from dns.asyncbackend import get_default_backend
from dns.exception import DNSException
from dns.exception import Timeout as DnsTimeout

from sitewright.kit import clock
from sitewright.kit.dns.results import Answer, answer_from, unavailable
from sitewright.kit.dns.servers import KnownServers, Server
from sitewright.kit.fair_slots import FairSlots
from sitewright.kit.problems import Unavailable
from sitewright.settings import Settings

CONCURRENT = 64
"""Queries and probes of a process that are sent at the same time."""
TRY_SECONDS = 1.5
"""How long one server may take to respond before the next one is asked."""
ROUNDS = 2
"""How often all servers are asked: a packet may be lost."""
PAYLOAD = 1232
"""The largest response over UDP that no network fragments."""
WITHOUT_EDNS = (dns.rcode.FORMERR, dns.rcode.NOTIMP)
DEFINITE = (dns.rcode.NOERROR, dns.rcode.NXDOMAIN)


class DnsClient:
    """Shared by all lookups of a process."""

    def __init__(self, settings: Settings) -> None:
        self.servers = KnownServers(settings)
        self.slots = FairSlots(CONCURRENT)

    async def close(self) -> None:
        """Nothing stays open between queries."""


class Lookups:
    """The queries of one piece of work of a brand, which all end at one deadline; equal ones are sent once."""

    def __init__(self, client: DnsClient, brand_ref: int | None, seconds: float) -> None:
        self._client = client
        self._brand_ref = brand_ref
        self._deadline = clock.stopwatch() + seconds
        self._asked: dict[tuple[str, str, tuple[Server, ...], bool], asyncio.Task[dns.message.Message | str]] = {}

    @property
    def servers(self) -> KnownServers:
        return self._client.servers

    @property
    def seconds_left(self) -> float:
        return max(0.0, self._deadline - clock.stopwatch())

    def slot(self) -> "_Slot":
        """A turn for one request of this work, for probes too. Raises `TimeoutError` if there is none in time."""
        return _Slot(self._client.slots, self._brand_ref, self)

    async def ask(self, name: str, kind: str) -> Answer:
        """Ask the resolvers, one after the other until one knows."""
        return await self.ask_servers(self.servers.resolvers, name, kind, recursive=True)

    async def ask_servers(self, servers: Sequence[Server], name: str, kind: str, *, recursive: bool = False) -> Answer:
        found = await self.exchange(servers, name, kind, recursive=recursive)
        return unavailable(name, kind, found) if isinstance(found, str) else answer_from(name, kind, found)

    async def exchange(
        self, servers: Sequence[Server], name: str, kind: str, *, recursive: bool = True, dnssec: bool = False
    ) -> dns.message.Message | str:
        """The first definite response, else the last other one; a text says why there is none at all."""
        key = (name, kind, tuple(servers), dnssec)
        if key not in self._asked:
            query = self._exchange(servers, name, kind, recursive=recursive, dnssec=dnssec)
            self._asked[key] = asyncio.create_task(query)
        return await asyncio.shield(self._asked[key])

    async def _exchange(
        self, servers: Sequence[Server], name: str, kind: str, *, recursive: bool, dnssec: bool
    ) -> dns.message.Message | str:
        try:
            query = _query(name, kind, recursive=recursive, dnssec=dnssec)
        except DNSException:
            return "FORMERR"
        failure: dns.message.Message | str = "timeout"
        for server in [*servers] * ROUNDS:
            if not self.seconds_left:
                break
            response = await self._try(server, query)
            if isinstance(response, dns.message.Message):
                if response.rcode() in DEFINITE:
                    return response
                failure = response
            elif isinstance(failure, str):
                failure = response
        return failure

    async def _try(self, server: Server, query: dns.message.Message) -> dns.message.Message | str:
        try:
            async with self.slot(), asyncio.timeout(min(TRY_SECONDS, self.seconds_left)):
                response = await _send(server, query)
                if response.rcode() in WITHOUT_EDNS and query.edns >= 0:
                    response = await _send(server, _without_edns(query))
                return response
        except Unavailable:
            return "busy"
        except (TimeoutError, DnsTimeout):
            return "timeout"
        except (DNSException, OSError, EOFError, ValueError) as error:
            return type(error).__name__


class _Slot:
    """A slot of the client for the time that is left."""

    def __init__(self, slots: FairSlots, brand_ref: int | None, lookups: Lookups) -> None:
        self._slot = slots.slot(brand_ref, lookups.seconds_left)

    async def __aenter__(self) -> None:
        await self._slot.__aenter__()

    async def __aexit__(self, *raised: object) -> None:
        await self._slot.__aexit__(*raised)  # type: ignore[arg-type]


def _query(name: str, kind: str, *, recursive: bool, dnssec: bool) -> dns.message.Message:
    query = dns.message.make_query(name, kind, use_edns=0, payload=PAYLOAD, want_dnssec=dnssec)
    if not recursive:
        query.flags &= ~dns.flags.RD
    if dnssec:
        query.flags |= dns.flags.CD  # broken signatures are to be seen, instead of SERVFAIL
    return query


def _without_edns(query: dns.message.Message) -> dns.message.Message:
    plain = dns.message.make_query(query.question[0].name, query.question[0].rdtype, use_edns=False)
    plain.flags = query.flags
    return plain


async def _send(server: Server, query: dns.message.Message) -> dns.message.Message:
    async with await _new_socket(server.address) as udp:
        response, _ = await dns.asyncquery.udp_with_fallback(query, server.address, port=server.port, udp_sock=udp)
        return response


async def _new_socket(address: str) -> Any:
    """Also closed if the time is over while it is created: uvloop would keep it open for good."""
    family = dns.inet.af_for_address(address)
    creating = asyncio.create_task(get_default_backend().make_socket(family, socket.SOCK_DGRAM))  # type: ignore[no-untyped-call]
    try:
        return await asyncio.shield(creating)
    except asyncio.CancelledError:
        with suppress(OSError):
            await (await creating).close()
        raise
