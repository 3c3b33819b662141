"""How many bytes of large responses one process holds in memory while their clients read them."""

from collections.abc import Iterator
from contextlib import contextmanager

from sitewright.kit.problems import Busy

MAX_HELD_BYTES = 256 * 1024 * 1024
NETWORK_SHARE = 4
"""One client network may hold the fourth part."""
RETRY_AFTER_SECONDS = 5


class ResponseBudget:
    def __init__(self, most: int = MAX_HELD_BYTES) -> None:
        self._most = most
        self._most_of_network = most // NETWORK_SHARE
        self._held: dict[str, int] = {}

    def check(self, network: str, size: int) -> None:
        """Raises Busy where `size` bytes more are too many. A single response is never too large."""
        own, total = self._held.get(network, 0), sum(self._held.values())
        if (own and own + size > self._most_of_network) or (total and total + size > self._most):
            raise Busy(
                "Too many large responses are being sent just now. Read those you asked for to their end, or ask for "
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
