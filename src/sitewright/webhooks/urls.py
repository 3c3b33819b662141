"""Validates and parses the URLs of subscriptions.

Host names are resolved and their addresses checked only when a delivery connects; this is the check before that.
"""

import re
from ipaddress import AddressValueError, IPv4Address
from urllib.parse import urlsplit

import msgspec

from sitewright.kit.links import check_link, host_of
from sitewright.kit.network_guard import Guard

PORTS = {"http": 80, "https": 443}
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_LOOPBACK = "127.0.0.1"


class WebhookUrl(msgspec.Struct, frozen=True):
    url: str
    """As requested: without a fragment, percent-encoded where needed."""
    destination: str
    """Host and port."""


def parse_url(text: str) -> WebhookUrl:
    """Raises ValueError with a message for the caller."""
    url = check_link(text).partition("#")[0]
    host, parts = host_of(url), urlsplit(url)
    port = parts.port if parts.port is not None else PORTS[parts.scheme]
    if port == 0:
        raise ValueError("must name a port from 1 to 65535, or none")
    if _NUMBER.fullmatch(host.rpartition(".")[2]):
        _require_canonical(host)
    return WebhookUrl(url, f"{host}:{port}")


def check_url(text: str, guard: Guard) -> None:
    """Rejects a literal address that is not allowed. Names are resolved and checked when a delivery connects."""
    host = host_of(parse_url(text).url)
    literal = _LOOPBACK if host == "localhost" or host.endswith(".localhost") else host.strip("[]")
    is_literal = literal != host or _NUMBER.fullmatch(host.rpartition(".")[2]) is not None
    if is_literal and not guard.allows(literal):
        raise ValueError("must lead to a public address; this deployment does not allow others")


def _require_canonical(host: str) -> None:
    """Rejects `127.1`, `0x7f000001` and the like, which programs interpret differently."""
    try:
        IPv4Address(host)
    except AddressValueError:
        raise ValueError("must name a host; an IPv4 address is written as four numbers, like 192.0.2.1") from None
