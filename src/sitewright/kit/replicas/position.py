"""The position in the primary's write-ahead log that includes every change of which this process was notified."""

import asyncio

import asyncpg

from sitewright.kit.db import Database
from sitewright.kit.problems import Unavailable
from sitewright.kit.replicas import store

RETRY_SECONDS = 0.5


class NotifiedPosition:
    """Read from the primary after each notification: a notification arrives when its transaction has committed, so the
    log's end includes it by then."""

    def __init__(self, primary: Database) -> None:
        self._primary = primary
        self._notifications = 0
        self._position: int | None = None
        self._is_outdated = asyncio.Event()

    @property
    def current(self) -> int | None:
        """None until the first connection of the listener, and after a notification until the position is read."""
        return None if self._is_outdated.is_set() else self._position

    def on_notification(self) -> None:
        """Also to be called when the listener has connected, since notifications may have been missed before."""
        self._notifications += 1
        self._is_outdated.set()

    async def run(self) -> None:
        """Run for the life of the process."""
        while True:
            await self._is_outdated.wait()
            notifications = self._notifications
            try:
                async with self._primary.connection() as connection:
                    position = await store.read_position(connection)
            except (Unavailable, asyncpg.ObjectNotInPrerequisiteStateError):  # an outage, or a failover
                await asyncio.sleep(RETRY_SECONDS)
                continue
            if notifications == self._notifications:
                self._position = position
                self._is_outdated.clear()
