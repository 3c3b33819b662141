"""Admission control for password hashing: a bounded queue that rejects at once, and that no address can fill alone."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from sitewright.kit.problems import Unavailable

ADDRESS_SHARE = 0.5
RETRY_AFTER = 1


class LogInQueueFull(Unavailable):
    detail = "Too many log-ins are being verified at the moment. Repeat the request in a moment."

    def __init__(self) -> None:
        super().__init__(retry_after=RETRY_AFTER)


class LogInQueue:
    """Counts verifications that wait or run. `places` bounds how long the last one waits: about 30 ms for each."""

    def __init__(self, places: int) -> None:
        self._places = places
        self._places_per_address = max(1, int(places * ADDRESS_SHARE))
        self._taken: Counter[str] = Counter()

    @contextmanager
    def admit(self, address: str, verifications: int = 1) -> Iterator[None]:
        """A place for each verification of a request; an empty queue takes any request."""
        if self._exceeds(verifications, self._taken.total(), self._places) or self._exceeds(
            verifications, self._taken[address], self._places_per_address
        ):
            raise LogInQueueFull
        self._taken[address] += verifications
        try:
            yield
        finally:
            self._taken[address] -= verifications
            if not self._taken[address]:
                del self._taken[address]

    @staticmethod
    def _exceeds(verifications: int, taken: int, places: int) -> bool:
        return taken > 0 and taken + verifications > places
