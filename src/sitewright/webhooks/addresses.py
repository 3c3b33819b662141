"""The URLs that deliveries may be sent to, as callers write them.

What a name leads to is known only when it is dialled; here stands what can be said before.
"""

import re
from ipaddress import AddressValueError, IPv4Address
from urllib.parse import urlsplit

import msgspec

from sitewright.kit.links import check_link, host_of
from sitewright.webhooks.guard import Guard

PORTS = {"http": 80, "https": 443}
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_LOOPBACK = "127.0.0.1"


class Address(msgspec.Struct, frozen=True):
    url: str
    """As it is dialled: without a fragment, what a URL cannot hold percent-encoded."""
    destination: str
    """Host and port, which deliveries to different paths have in common."""


def read_address(text: str) -> Address:
    """Raises ValueError with words for the caller."""
    url = check_link(text).partition("#")[0]
    host, parts = host_of(url), urlsplit(url)
    port = parts.port if parts.port is not None else PORTS[parts.scheme]
    if port == 0:
        raise ValueError("must name a port from 1 to 65535, or none")
    if _NUMBER.fullmatch(host.rpartition(".")[2]):
        _require_canonical(host)
    return Address(url, f"{host}:{port}")


def check_address(text: str, guard: Guard) -> None:
    """As early as can be: an address written out that no delivery may go to. Names are looked up when dialled."""
    host = host_of(read_address(text).url)
    literal = _LOOPBACK if host == "localhost" or host.endswith(".localhost") else host.strip("[]")
    is_literal = literal != host or _NUMBER.fullmatch(host.rpartition(".")[2]) is not None
    if is_literal and not guard.allows(literal):
        raise ValueError("must lead to a public address; this deployment does not allow others")


def _require_canonical(host: str) -> None:
    """`127.1`, `0x7f000001` and the like: what programs make of these differs."""
    try:
        IPv4Address(host)
    except AddressValueError:
        raise ValueError("must name a host; an IPv4 address is written as four numbers, like 192.0.2.1") from None
