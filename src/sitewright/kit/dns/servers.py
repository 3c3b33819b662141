"""Addresses of name servers: the configured resolvers, the machine's, and which other servers may be asked."""

from collections.abc import Sequence
from typing import NamedTuple

import dns.resolver
from dns.exception import DNSException

from sitewright.kit.network_guard import Guard
from sitewright.settings import Settings

PORT = 53


class Server(NamedTuple):
    address: str
    port: int = PORT


def parse_server(text: str) -> Server:
    """Parse `192.0.2.53:53` or `[2001:db8::53]:53`, which the settings have checked."""
    address, _, port = text.rpartition(":")
    return Server(address.strip("[]"), int(port))


class KnownServers:
    def __init__(self, settings: Settings) -> None:
        self.resolvers = [parse_server(each) for each in settings.dns_resolvers] or _of_the_system()
        configured = [*self.resolvers]
        if settings.rfc2136_server:
            configured.append(parse_server(settings.rfc2136_server))
        self._ports = {each.address: each.port for each in reversed(configured)}
        self._guard = Guard()

    def authoritative(self, addresses: Sequence[str]) -> list[Server]:
        """Those that may be asked: public ones, and those that the settings name, at the port that they name."""
        return [
            Server(each, self._ports.get(each, PORT))
            for each in addresses
            if each in self._ports or self._guard.allows(each)
        ]


def _of_the_system() -> list[Server]:
    try:
        found = dns.resolver.Resolver()
    except (DNSException, OSError):  # no /etc/resolv.conf
        return []
    return [Server(each, found.port) for each in found.nameservers if isinstance(each, str)]
