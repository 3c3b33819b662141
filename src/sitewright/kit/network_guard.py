"""Which addresses deliveries may go to: public unicast ones, and those in networks that the deployment allows.

The lists follow IANA's registries of special-purpose addresses. Python's `is_global` is not used: its result depends on
the Python release, and it accepts several forms with an embedded IPv4 address.
"""

from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

NOT_PUBLIC_4 = [
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",
        "100.64.0.0/10",  # carrier-grade NAT
        "127.0.0.0/8",
        "169.254.0.0/16",  # link-local, and cloud metadata services
        "172.16.0.0/12",
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
    )
]
PUBLIC_6 = IPv6Network("2000::/3")
NOT_PUBLIC_6 = [
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocol assignments: Teredo, ORCHID, benchmarks
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4, checked by the embedded IPv4 address
        "3fff::/20",  # documentation
    )
]
LAST_32_BITS = [
    IPv6Network(network)
    for network in (
        "::/96",  # IPv4-compatible; also :: and ::1, which become 0.0.0.0 and 0.0.0.1
        "::ffff:0:0/96",  # IPv4-mapped
        "::ffff:0:0:0/96",  # IPv4-translated
        "64:ff9b::/96",  # NAT64
        "64:ff9b:1::/96",  # NAT64, local prefix
    )
]
SIX_TO_FOUR = IPv6Network("2002::/16")


class DestinationRefused(Exception):
    """The destination's address is not allowed. The text does not reveal which address a name resolves to."""

    def __init__(self) -> None:
        super().__init__("the receiver's address is not public, and this deployment does not allow it")


class Guard:
    def __init__(self, allowed_networks: Sequence[str] = ()) -> None:
        self._allowed = [ip_network(network) for network in allowed_networks]
        self.allows = lru_cache(maxsize=4096)(self._allows)

    def check(self, address: str) -> None:
        if not self.allows(address):
            raise DestinationRefused

    def _allows(self, text: str) -> bool:
        try:
            address = ip_address(text)
        except ValueError:
            return False
        embedded_address = embedded(address) if isinstance(address, IPv6Address) else None
        if any(
            each in network for network in self._allowed for each in (address, embedded_address) if each is not None
        ):
            return True
        return is_public(address if embedded_address is None else embedded_address)


def is_public(address: IPv4Address | IPv6Address) -> bool:
    if isinstance(address, IPv4Address):
        return not any(address in network for network in NOT_PUBLIC_4)
    return address in PUBLIC_6 and not any(address in network for network in NOT_PUBLIC_6)


def embedded(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that packets to this one are routed to."""
    if address in SIX_TO_FOUR:
        return IPv4Address(int(address) >> 80 & 0xFFFF_FFFF)
    if any(address in network for network in LAST_32_BITS):
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return None
