"""The origin of a request: client address, scheme and host; forwarding headers count only from trusted proxies.

A client is local if it connects from a loopback address that is not a trusted proxy, requests a loopback host, and
sends no header that proxies add.
"""

import ipaddress
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TypeAlias

import msgspec

from sitewright.settings import Settings

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network
PROXY_HEADERS = frozenset(
    {
        "cdn-loop",
        "client-ip",
        "fastly-client-ip",
        "forwarded",
        "front-end-https",
        "proxy-client-ip",
        "true-client-ip",
        "via",
        "wl-proxy-client-ip",
        "x-appengine-user-ip",
        "x-arr-log-id",
        "x-client-ip",
        "x-cluster-client-ip",
        "x-proxyuser-ip",
        "x-real-ip",
        "x-remote-addr",
        "x-remote-ip",
        "x-varnish",
    }
)
PROXY_PREFIXES = ("x-forwarded", "x-original-", "x-envoy-", "x-amzn-", "x-amz-cf-", "x-azure-", "cf-", "akamai-")
"""Prefixes of headers that only proxies, load balancers and CDNs add."""
MAX_HOST = 255
_HOST_IN_URL = re.compile(r"[a-z0-9._-]+(?::[0-9]{1,5})?|\[[0-9a-f:.]+\](?::[0-9]{1,5})?", re.IGNORECASE | re.ASCII)
_BRACKETED_HOST = re.compile(r"\[([0-9a-fA-F:.]{2,45})\](?::[0-9]{0,5})?")
IPV6_CUSTOMER_PREFIX = 64
NO_ADDRESS = "0.0.0.0"  # noqa: S104 - a client without an address (a unix socket), not something to bind to


class Origin(msgspec.Struct, frozen=True):
    address: str
    scheme: str
    host: str
    is_secure: bool
    """HTTPS end to end, or a local client."""
    is_local: bool = False
    """A loopback client that requests a loopback host, without a proxy in between."""
    is_forwarded: bool = False
    """By a trusted proxy."""


def service_url(settings: Settings, origin: Origin) -> str:
    """The public URL if one is configured, else the one that this caller used; without a trailing slash."""
    if settings.public_url or not _HOST_IN_URL.fullmatch(origin.host):
        return settings.service_url
    return f"{origin.scheme}://{origin.host}"


class Proxies:
    """The trusted reverse proxies."""

    def __init__(self, networks: Sequence[str]) -> None:
        self._networks: list[Network] = [ipaddress.ip_network(network) for network in networks]
        self.trusts = lru_cache(maxsize=4096)(self._trusts)

    def origin(self, peer: str, scheme: str, headers: dict[str, str]) -> Origin:
        peer = _unmapped(peer)
        host = headers.get("host", "")
        is_forwarded = bool(self._networks) and self.trusts(peer)
        is_local = not is_forwarded and _is_loopback(peer) and names_loopback(host) and not came_through_proxy(headers)
        if is_forwarded:
            scheme = _forwarded_scheme(headers.get("x-forwarded-proto", scheme))
            host = headers.get("x-forwarded-host", host).strip()
            peer = self._client_behind(peer, headers.get("x-forwarded-for", ""))
        address = peer.partition("%")[0]  # without the zone of a link-local address
        return Origin(address, scheme, host, scheme == "https" or is_local, is_local, is_forwarded)

    def is_https(self, peer: str, scheme: str, headers: Iterable[tuple[bytes, bytes]]) -> bool:
        """The same scheme as `origin`, from raw headers: also for requests that are rejected before they are read."""
        if self._networks and self.trusts(peer):
            named = [value.decode("latin-1") for name, value in headers if name == b"x-forwarded-proto"]
            scheme = _forwarded_scheme(", ".join(named) or scheme)
        return scheme == "https"

    def _client_behind(self, peer: str, forwarded_for: str) -> str:
        """The last address that is not a trusted proxy; earlier entries may be forged by the client."""
        for each in reversed(forwarded_for.split(",")):
            hop = _unmapped(_without_port(each.strip()))
            if not _is_address(hop):
                break
            peer = hop
            if not self.trusts(hop):
                break
        return peer

    def _trusts(self, address: str) -> bool:
        address = _unmapped(address)
        return _is_address(address) and any(ipaddress.ip_address(address) in each for each in self._networks)


def came_through_proxy(names: Iterable[str]) -> bool:
    """Whether a request has a header that proxies add, trusted or not; `names` in lower case."""
    return any(name in PROXY_HEADERS or name.startswith(PROXY_PREFIXES) for name in names)


@lru_cache(maxsize=4096)
def rate_limit_key(address: str) -> str:
    """The key that rate limits count a client under: for IPv6 its /64, which usually belongs to one customer."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address) or parsed.ipv4_mapped is not None:
        return str(getattr(parsed, "ipv4_mapped", None) or parsed)
    return str(ipaddress.ip_network((parsed, IPV6_CUSTOMER_PREFIX), strict=False))


def _without_port(hop: str) -> str:
    """Some proxies add the client's port: `203.0.113.7:4711`, `[2001:db8::7]:4711`."""
    if hop.startswith("[") and hop.endswith("]"):
        return hop[1:-1]
    address, colon, port = hop.rpartition(":")
    if not (colon and port.isascii() and port.isdigit()):
        return hop
    if address.startswith("[") and address.endswith("]"):
        return address[1:-1]
    return hop if ":" in address else address


def _forwarded_scheme(text: str) -> str:
    return "https" if text.strip().lower() == "https" else "http"


def _unmapped(address: str) -> str:
    """On a dual-stack listener, IPv4 clients have addresses like ::ffff:a.b.c.d."""
    if not address.startswith("::ffff:") or not _is_address(address):
        return address
    return str(getattr(ipaddress.ip_address(address), "ipv4_mapped", None) or address)


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return "%" not in text


@lru_cache(maxsize=4096)
def _is_loopback(address: str) -> bool:
    return _is_address(address) and ipaddress.ip_address(address).is_loopback


def names_loopback(host: str) -> bool:
    """Whether a Host header is a loopback name or address: `localhost:8080`, `127.0.0.1`, `[::1]:8080`."""
    return len(host) <= MAX_HOST and _names_loopback(host)


@lru_cache(maxsize=256)
def _names_loopback(host: str) -> bool:
    bracketed = _BRACKETED_HOST.fullmatch(host)
    name = bracketed[1] if bracketed else host.partition(":")[0].lower()
    return name == "localhost" or name.endswith(".localhost") or _is_loopback(name)
