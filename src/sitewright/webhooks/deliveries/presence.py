"""That a worker is there, told by a connection of its own: what it claims is its own for as long as that one lives.

The server ends the connection of a worker that is killed at once, and of one whose machine is gone after half a minute;
a worker that is merely slow keeps what it has. The same connection listens to what there is to deliver.
"""

import asyncio
import logging
import os
from collections.abc import Callable
from contextlib import suppress

import asyncpg

from sitewright.kit.db import DATABASE_AWAY, Database
from sitewright.kit.pool import Connection
from sitewright.kit.problems import Unavailable
from sitewright.kit.waiting import wait_at_most
from sitewright.webhooks.deliveries import store

AGAIN_SECONDS = 0.5
PULSE_SECONDS = 10.0
PULSE_WAIT_SECONDS = 5.0
_log = logging.getLogger("sitewright.webhooks")


class Presence:
    def __init__(self, database: Database, woken: asyncio.Event, changed: Callable[[int], None]) -> None:
        """`changed` is told of subscriptions that are not any more what they were."""
        self._database = database
        self._woken = woken
        self._changed = changed
        self._number: int | None = None
        self._is_there = False

    @property
    def number(self) -> int | None:
        """Under which to claim; None while the worker cannot be seen."""
        return self._number if self._is_there else None

    async def keep(self) -> None:
        """For as long as the worker lives. It keeps its number when the connection is lost, and so what it claimed,
        unless somebody found it missing meanwhile."""
        while True:
            try:
                await self._appear()
            except (Unavailable, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError, *DATABASE_AWAY) as error:
                _log.warning("webhooks wait for the database: %s", type(error).__name__)
            await asyncio.sleep(AGAIN_SECONDS)

    async def _appear(self) -> None:
        connection = await self._database.connect()
        lost = asyncio.Event()
        connection.add_termination_listener(lambda _connection: lost.set())
        try:
            if self._number is None:
                self._number = await store.new_number(connection)
            await connection.add_listener(store.CHANNEL, lambda *told: self._hear(told[-1]))
            self._is_there = await store.appear(connection, self._number, os.getpid())
            self._woken.set()
            while self._is_there and not lost.is_set():
                await _check(connection)
                await wait_at_most(lost, PULSE_SECONDS)
        finally:
            self._is_there = False
            self._woken.set()
            with suppress(Exception):
                await connection.close(timeout=1)

    def _hear(self, told: object) -> None:
        if isinstance(told, str) and told.isdecimal():
            self._changed(int(told))
        self._woken.set()


async def _check(connection: Connection) -> None:
    """A network that swallows everything looks like silence."""
    async with asyncio.timeout(PULSE_WAIT_SECONDS):
        await store.check_connection(connection)
