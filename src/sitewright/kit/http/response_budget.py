"""The memory budget for large responses that a process holds while their clients read them."""

from collections.abc import Iterator
from contextlib import contextmanager

from sitewright.kit.problems import Busy

MAX_HELD_BYTES = 256 * 1024 * 1024
NETWORK_SHARE = 4
"""One client network may use a quarter of the budget."""
RETRY_AFTER_SECONDS = 5


class ResponseBudget:
    def __init__(self, max_bytes: int = MAX_HELD_BYTES) -> None:
        self._max_bytes = max_bytes
        self._max_bytes_per_network = max_bytes // NETWORK_SHARE
        self._held: dict[str, int] = {}

    def check(self, network: str, size: int) -> None:
        """Raises Busy if `size` more bytes would exceed the budget. A single response is always allowed."""
        own, total = self._held.get(network, 0), sum(self._held.values())
        if (own and own + size > self._max_bytes_per_network) or (total and total + size > self._max_bytes):
            raise Busy(
                "Too many large responses are being sent just now. Read those you requested to their end, or request "
                "fewer items with `limit`, and repeat the request after the seconds that Retry-After says.",
                retry_after=RETRY_AFTER_SECONDS,
            )

    @contextmanager
    def held(self, network: str, size: int) -> Iterator[None]:
        self._held[network] = self._held.get(network, 0) + size
        try:
            yield
        finally:
            self._held[network] -= size
            if not self._held[network]:
                del self._held[network]
