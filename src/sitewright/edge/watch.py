"""Listens to what the database tells of sites that look different now, on a connection of its own."""

import asyncio
import logging
from contextlib import suppress

import asyncpg

from sitewright.edge import store
from sitewright.edge.sites import Sites
from sitewright.kit.db import DATABASE_AWAY, Database
from sitewright.kit.pool import Connection
from sitewright.kit.problems import Unavailable

CHANNEL = "sitewright_sites"
AGAIN_SECONDS = 0.5
PULSE_SECONDS = 10.0
PULSE_WAIT_SECONDS = 5.0
_log = logging.getLogger("sitewright.edge")


async def watch(database: Database, sites: Sites) -> None:
    """For as long as the process lives; a connection that is lost is opened again."""
    while True:
        try:
            await _listen(database, sites)
        except (Unavailable, asyncpg.PostgresError, asyncpg.InterfaceError, *DATABASE_AWAY) as error:
            _log.warning("not told of changes to sites for the moment: %s", type(error).__name__)
        await asyncio.sleep(AGAIN_SECONDS)


async def _listen(database: Database, sites: Sites) -> None:
    connection = await database.connect()
    lost = asyncio.Event()
    connection.add_termination_listener(lambda _connection: lost.set())
    try:
        await connection.add_listener(CHANNEL, lambda _connection, _pid, _channel, text: sites.tell(str(text)))
        sites.doubt_all()
        while not lost.is_set():
            await _check(connection)
            with suppress(TimeoutError):
                await asyncio.wait_for(lost.wait(), PULSE_SECONDS)
    finally:
        with suppress(Exception):
            await connection.close(timeout=1)


async def _check(connection: Connection) -> None:
    """A network that swallows everything looks like silence."""
    async with asyncio.timeout(PULSE_WAIT_SECONDS):
        await store.check_connection(connection)
