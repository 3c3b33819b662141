"""Finds the zone of a name and its authoritative servers by following the delegation through the resolvers."""

import asyncio

import msgspec

from sitewright.kit.dns.client import Lookups
from sitewright.kit.dns.results import Answer, Outcome
from sitewright.kit.dns.servers import Server

MAX_SERVERS = 6


class NameServer(msgspec.Struct, frozen=True):
    name: str
    servers: tuple[Server, ...]
    """Those of its addresses that may be asked."""
    is_private: bool = False
    """It has addresses, but none that may be asked."""
    has_no_address: bool = False


class Zone(msgspec.Struct, frozen=True):
    """A delegated zone; without a name none was found, and `answer` says whether that is certain."""

    name: str | None
    answer: Answer
    """The NS records."""
    name_servers: tuple[NameServer, ...] = ()

    @property
    def servers(self) -> list[Server]:
        """One address of each server, then the others."""
        every = [each.servers for each in self.name_servers]
        return [each[0] for each in every if each] + [other for each in every for other in each[1:]]


async def find_zone(lookups: Lookups, host: str, highest: str) -> Zone:
    """Search from the host upwards to `highest`, its registered domain."""
    name = host
    while True:
        result = await lookups.ask(name, "NS")
        if not result.is_known and name != highest:
            name = highest
            continue
        if result.outcome is Outcome.FOUND and not result.aliases:
            return Zone(name, result, await find_name_servers(lookups, result.values))
        if name == highest or not result.is_known or "." not in name:
            return Zone(None, result)
        name = _next(name, result, highest)


def _next(name: str, result: Answer, highest: str) -> str:
    """The zone that the response names, where that skips labels without a zone of their own; else the parent."""
    is_above = result.zone is not None and name.endswith(f".{result.zone}") and not result.aliases
    if result.zone is not None and is_above and f".{result.zone}".endswith(f".{highest}"):
        return result.zone
    return name.partition(".")[2]


async def find_name_servers(lookups: Lookups, names: tuple[str, ...]) -> tuple[NameServer, ...]:
    async def find(name: str) -> NameServer:
        ipv4, ipv6 = await asyncio.gather(lookups.ask(name, "A"), lookups.ask(name, "AAAA"))
        addresses = [*ipv4.values, *ipv6.values]
        servers = tuple(lookups.servers.authoritative(addresses))
        is_certain = ipv4.is_known and ipv6.is_known
        return NameServer(name, servers, bool(addresses) and not servers, has_no_address=is_certain and not addresses)

    return tuple(await asyncio.gather(*(find(name) for name in names[:MAX_SERVERS])))
