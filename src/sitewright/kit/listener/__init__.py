"""LISTEN: receives PostgreSQL notifications on a connection of its own, and reconnects whenever that is lost."""

import asyncio
import logging
import os
from collections.abc import Callable, Sequence
from contextlib import suppress

import asyncpg

from sitewright.kit.db import DATABASE_OUTAGE, Database
from sitewright.kit.listener import store
from sitewright.kit.pool import Connection
from sitewright.kit.problems import Unavailable
from sitewright.kit.waiting import wait_at_most

RECONNECT_SECONDS = 0.5
HEARTBEAT_SECONDS = 10.0
HEARTBEAT_TIMEOUT_SECONDS = 5.0


class Listener:
    def __init__(
        self,
        database: Database,
        channels: Sequence[str],
        name: str,
        on_notification: Callable[[str, str], None],
        on_connection: Callable[[bool], None],
    ) -> None:
        """`on_notification` gets the channel and the payload. `on_connection` is called with True when the connection
        is open, and with False when it is lost: notifications in between are missed."""
        self._database = database
        self._channels = channels
        self._name = f"sitewright {name} {os.getpid()}"
        self._on_notification = on_notification
        self._on_connection = on_connection
        self._outage = OutageLog(logging.getLogger(f"sitewright.{name}"))
        self.is_connected = False

    async def run(self) -> None:
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
                self._outage.failed(error)
            await asyncio.sleep(RECONNECT_SECONDS)

    async def _listen(self) -> None:
        connection = await self._database.connect()
        lost = asyncio.Event()
        connection.add_termination_listener(lambda _connection: lost.set())
        try:
            await store.name_connection(connection, self._name)
            for channel in self._channels:
                await connection.add_listener(channel, self._receive)
            self._set_connected(is_connected=True)
            self._outage.ended()
            while not lost.is_set():
                await _check(connection)
                await wait_at_most(lost, HEARTBEAT_SECONDS)
        finally:
            self._set_connected(is_connected=False)
            with suppress(Exception):
                await connection.close(timeout=1)

    def _receive(self, _connection: object, _pid: int, channel: str, payload: object) -> None:
        self._on_notification(channel, str(payload))

    def _set_connected(self, *, is_connected: bool) -> None:
        self.is_connected = is_connected
        self._on_connection(is_connected)


class OutageLog:
    """Logs the start and the end of an outage, and none of the attempts in between."""

    def __init__(self, log: logging.Logger) -> None:
        self._log = log
        self._is_out = False

    def failed(self, error: Exception) -> None:
        if not self._is_out:
            self._log.warning("not notified of changes, retrying until it works: %s", type(error).__name__)
        self._is_out = True

    def ended(self) -> None:
        if self._is_out:
            self._log.info("notified of changes again")
        self._is_out = False


async def _check(connection: Connection) -> None:
    """Raise if the server does not respond: a network that drops all packets looks like an idle connection."""
    async with asyncio.timeout(HEARTBEAT_TIMEOUT_SECONDS):
        await store.check_connection(connection)
