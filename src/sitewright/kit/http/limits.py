"""What a connection may take of the service: time, bytes, and how many of them one address may hold."""

import logging

import msgspec

from sitewright.kit.origin import Proxies, rate_limit_key
from sitewright.settings import Settings

MAX_HEADER_BYTES = 64 * 1024
"""Of all headers of a request together, and again of all trailers behind a chunked body."""
MAX_PIPELINED = 100
"""Requests that wait, parsed, behind one that is being answered; their client sent them without waiting."""
SLICE_BYTES = 8 * 1024
"""Are parsed at once: some 300 requests at most."""
MAX_UNPARSED_BYTES = 1024 * 1024
IDLE_SECONDS = 75.0
"""A kept connection is held open without a request."""
LOG_SECONDS = 60.0
_log = logging.getLogger("sitewright.connections")


class Pace(msgspec.Struct, frozen=True):
    """How slowly bytes may pass: `seconds` for a start, and then one more for every `bytes_per_second` that did."""

    seconds: float
    bytes_per_second: int

    def deadline(self, since: float, passed: int) -> float:
        return since + self.seconds + passed / self.bytes_per_second


class WireLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The time limits of a connection; `connections_per_address` 0 means that there is no limit."""

    header_seconds: float = 30
    body: Pace = Pace(20, 1024)
    write: Pace = Pace(30, 1024)
    idle_seconds: float = IDLE_SECONDS
    connections_per_address: int = 0

    @classmethod
    def of(cls, settings: Settings) -> "WireLimits":
        return cls(
            header_seconds=settings.header_timeout_seconds,
            body=body_pace(settings),
            write=Pace(settings.write_timeout_seconds, settings.min_bytes_per_second),
            connections_per_address=settings.connections_per_address,
        )


def body_pace(settings: Settings) -> Pace:
    return Pace(settings.body_timeout_seconds, settings.min_bytes_per_second)


class AddressLimit:
    """Counts the connections that each client address holds open at this process, on all of its listeners together.

    Trusted proxies hold the connections of many clients, and are not counted. An IPv6 client commands a /64 at least,
    so these are counted as one.
    """

    def __init__(self, most: int, proxies: Proxies) -> None:
        self._most = most
        self._proxies = proxies
        self._open: dict[str, int] = {}
        self._refused = 0
        self._logged_at = -LOG_SECONDS

    def key_of(self, address: str) -> str:
        """What an address is counted by; empty where it is not."""
        if not self._most or self._proxies.trusts(address):
            return ""
        return rate_limit_key(address)

    def admits(self, key: str) -> bool:
        has_room = not key or self._open.get(key, 0) < self._most
        self._refused += not has_room
        return has_room

    def add(self, key: str) -> None:
        if key:
            self._open[key] = self._open.get(key, 0) + 1

    def remove(self, key: str) -> None:
        left = self._open.get(key, 0) - 1
        if left > 0:
            self._open[key] = left
        else:
            self._open.pop(key, None)

    def count(self, key: str) -> "CountedConnection":
        self.add(key)
        return CountedConnection(self, key)

    def report(self, now: float) -> None:
        """Once a minute at most: whoever is refused comes again, many times a second."""
        if self._refused and now - self._logged_at >= LOG_SECONDS:
            most = max(self._open, key=lambda key: self._open[key], default="")
            fields = {"refused": self._refused, "limit": self._most, "address": most}
            _log.warning("connections refused: their address holds too many", extra={"fields": fields})
            self._refused, self._logged_at = 0, now


class CountedConnection:
    """One connection in the count of its address, from when it is accepted.

    A handshake and the connection that it leads to share it; whichever ends releases it, and it is released once.
    """

    def __init__(self, addresses: AddressLimit, key: str) -> None:
        self._addresses = addresses
        self._key = key
        self._is_released = False

    def release(self) -> None:
        if not self._is_released:
            self._is_released = True
            self._addresses.remove(self._key)
