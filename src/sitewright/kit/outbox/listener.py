"""Listens for PostgreSQL notifications on a connection of its own, and reconnects whenever that is lost."""

import asyncio
import logging
import os
from collections.abc import Callable
from contextlib import suppress

import asyncpg

from sitewright.kit.db import DATABASE_OUTAGE, Database
from sitewright.kit.outbox import store
from sitewright.kit.pool import Connection
from sitewright.kit.problems import Unavailable
from sitewright.kit.waiting import wait_at_most

RECONNECT_SECONDS = 0.5
CHECK_SECONDS = 10.0
CHECK_TIMEOUT_SECONDS = 5.0


class Listener:
    def __init__(self, database: Database, channel: str, name: str, on_notification: Callable[[str], None]) -> None:
        """`on_notification` gets each payload, and an empty one when the connection is opened or lost."""
        self._database = database
        self._channel = channel
        self._name = f"sitewright {name} {os.getpid()}"
        self._on_notification = on_notification
        self._log = logging.getLogger(f"sitewright.{name}")
        self.is_connected = False

    async def keep(self) -> None:
        """Listen and reconnect until cancelled."""
        while True:
            try:
                await self._listen()
            except (
                Unavailable,
                TimeoutError,
                asyncpg.PostgresError,
                asyncpg.InterfaceError,
                *DATABASE_OUTAGE,
            ) as error:
                self._log.warning("not notified while the database is unavailable: %s", type(error).__name__)
            await asyncio.sleep(RECONNECT_SECONDS)

    async def _listen(self) -> None:
        connection = await self._database.connect()
        lost = asyncio.Event()
        connection.add_termination_listener(lambda _connection: lost.set())
        try:
            await store.name_connection(connection, self._name)
            await connection.add_listener(self._channel, lambda *notified: self._on_notification(str(notified[-1])))
            self.is_connected = True
            self._on_notification("")
            while not lost.is_set():
                await _check(connection)
                await wait_at_most(lost, CHECK_SECONDS)
        finally:
            self.is_connected = False
            self._on_notification("")
            with suppress(Exception):
                await connection.close(timeout=1)


async def _check(connection: Connection) -> None:
    """Raise if the server does not respond: without this, a dead network looks like an idle connection."""
    async with asyncio.timeout(CHECK_TIMEOUT_SECONDS):
        await store.check_connection(connection)
