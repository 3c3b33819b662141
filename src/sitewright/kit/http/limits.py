"""Limits of connections: timeouts, minimum transfer rates, sizes, and the number of connections per address."""

import logging

import msgspec

from sitewright.kit.origin import Proxies, rate_limit_key
from sitewright.settings import Settings

MAX_HEADER_BYTES = 64 * 1024
"""Of all headers of a request together, and separately of all trailers after a chunked body."""
MAX_PIPELINED = 100
"""Parsed requests that may wait while an earlier one of the same connection is in progress."""
SLICE_BYTES = 8 * 1024
"""Bytes parsed at once: about 300 requests at most."""
MAX_UNPARSED_BYTES = 1024 * 1024
IDLE_SECONDS = 75.0
"""Keep-alive timeout: how long a connection may be idle between requests."""
LOG_SECONDS = 60.0
_log = logging.getLogger("sitewright.connections")


class Pace(msgspec.Struct, frozen=True):
    """A minimum transfer rate: `seconds` initially, and one more for every `bytes_per_second` transferred."""

    seconds: float
    bytes_per_second: int

    def deadline(self, since: float, passed: int) -> float:
        return since + self.seconds + passed / self.bytes_per_second


class WireLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of a connection; `connections_per_address` 0 means no limit."""

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
    """Limits the open connections of each client address in this process, over all of its listeners.

    Trusted proxies carry the connections of many clients and are not counted. An IPv6 client usually has a /64, so
    that counts as one address.
    """

    def __init__(self, limit: int, proxies: Proxies) -> None:
        self._limit = limit
        self._proxies = proxies
        self._open: dict[str, int] = {}
        self._refused = 0
        self._logged_at = -LOG_SECONDS

    def key_of(self, address: str) -> str:
        """The key that an address is counted under; empty if it is not counted."""
        if not self._limit or self._proxies.trusts(address):
            return ""
        return rate_limit_key(address)

    def admits(self, key: str) -> bool:
        is_below_limit = not key or self._open.get(key, 0) < self._limit
        self._refused += not is_below_limit
        return is_below_limit

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
        """Log refusals at most once a minute, since refused clients retry many times a second."""
        if self._refused and now - self._logged_at >= LOG_SECONDS:
            worst = max(self._open, key=lambda key: self._open[key], default="")
            fields = {"refused": self._refused, "limit": self._limit, "address": worst}
            _log.warning("connections refused: too many from one address", extra={"fields": fields})
            self._refused, self._logged_at = 0, now


class CountedConnection:
    """One connection in its address's count, from when it is accepted.

    A TLS handshake and the resulting connection share it; `release` has an effect only once.
    """

    def __init__(self, addresses: AddressLimit, key: str) -> None:
        self._addresses = addresses
        self._key = key
        self._is_released = False

    def release(self) -> None:
        if not self._is_released:
            self._is_released = True
            self._addresses.remove(self._key)
