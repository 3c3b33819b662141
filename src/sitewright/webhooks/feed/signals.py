"""Wakes the calls of this process that wait for events: one connection listens for all of them."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from sitewright.kit.listener import Listener
from sitewright.kit.resources import Resources
from sitewright.webhooks.feed.errors import TooManyWaitingCalls

CHANNEL = "sitewright_events"


class FeedSignals:
    """Opened by the first call that waits."""

    def __init__(self, resources: Resources) -> None:
        self._waiting: dict[int, set[asyncio.Event]] = {}
        self._count = 0
        self._most = resources.settings.event_waiting_calls
        self._most_of_brand = resources.settings.event_waiting_calls_per_brand
        self._draining = resources.draining
        listener = Listener(resources.database, (CHANNEL,), "feed", self._on_notification, self._on_connection)
        self._tasks = [asyncio.create_task(listener.run()), asyncio.create_task(self._wake_when_draining())]

    @property
    def is_draining(self) -> bool:
        return self._draining.is_set()

    @contextmanager
    def waiting(self, brand_ref: int) -> Iterator[asyncio.Event]:
        """The event is set when the brand may have new events, and when the process is about to end.

        Admission control: raises `TooManyWaitingCalls` at once beyond the limits of the process or of the brand.
        """
        if len(self._waiting.get(brand_ref, ())) >= self._most_of_brand:
            raise TooManyWaitingCalls("Your brand has as many calls waiting as are allowed. Repeat this one later.")
        if self._count >= self._most:
            raise TooManyWaitingCalls
        signal = asyncio.Event()
        waiting = self._waiting.setdefault(brand_ref, set())
        waiting.add(signal)
        self._count += 1
        try:
            yield signal
        finally:
            self._count -= 1
            waiting.discard(signal)
            if not waiting and self._waiting.get(brand_ref) is waiting:
                del self._waiting[brand_ref]

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _on_notification(self, _channel: str, payload: str) -> None:
        if payload.isdecimal():
            self._wake(self._waiting.get(int(payload), ()))

    def _on_connection(self, _is_connected: bool) -> None:
        """Notifications may have been missed."""
        self._wake_all()

    async def _wake_when_draining(self) -> None:
        await self._draining.wait()
        self._wake_all()

    def _wake_all(self) -> None:
        for waiting in self._waiting.values():
            self._wake(waiting)

    @staticmethod
    def _wake(waiting: "set[asyncio.Event] | tuple[()]") -> None:
        for signal in waiting:
            signal.set()


def signals_of(resources: Resources) -> FeedSignals:
    return resources.opened.get(FeedSignals, lambda: FeedSignals(resources))
