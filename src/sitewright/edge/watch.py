"""Listens to what the database tells of sites and certificates that are different now, on a connection of its own."""

import asyncio
import logging
from contextlib import suppress

import asyncpg

from sitewright.edge import store
from sitewright.edge.certificates import Certificates
from sitewright.edge.sites import Sites
from sitewright.kit.db import DATABASE_AWAY, Database
from sitewright.kit.pool import Connection
from sitewright.kit.problems import Unavailable
from sitewright.kit.waiting import wait_at_most

SITES, CERTIFICATES = "sitewright_sites", "sitewright_certificates"
AGAIN_SECONDS = 0.5
PULSE_SECONDS = 10.0
PULSE_WAIT_SECONDS = 5.0
_log = logging.getLogger("sitewright.edge")


class Listeners:
    """Those who want to be told."""

    def __init__(self, sites: Sites, certificates: Certificates) -> None:
        self._sites = sites
        self._certificates = certificates

    def tell(self, _connection: object, _pid: int, channel: str, payload: object) -> None:
        """Where a host is mapped or unmapped, its certificate is another one, too."""
        text = str(payload)
        if channel == SITES:
            self._sites.tell(text)
            text = text.partition(" ")[2]
        if text:
            self._certificates.tell(text)

    def doubt_all(self) -> None:
        self._certificates.doubt_all()
        self._sites.doubt_all()


class OutageLog:
    """Logs the beginning and the end of an outage, and none of the attempts in between."""

    def __init__(self) -> None:
        self._is_out = False

    def failed(self, error: Exception) -> None:
        if not self._is_out:
            _log.warning("not notified of changes, trying again until it works: %s", type(error).__name__)
        self._is_out = True

    def connected(self) -> None:
        if self._is_out:
            _log.info("notified of changes again")
        self._is_out = False


async def watch(database: Database, listeners: Listeners) -> None:
    """For as long as the process lives; a connection that is lost is opened again."""
    outage = OutageLog()
    while True:
        try:
            await _listen(database, listeners, outage)
        except (Unavailable, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError, *DATABASE_AWAY) as error:
            outage.failed(error)
        await asyncio.sleep(AGAIN_SECONDS)


async def _listen(database: Database, listeners: Listeners, outage: OutageLog) -> None:
    connection = await database.connect()
    lost = asyncio.Event()
    connection.add_termination_listener(lambda _connection: lost.set())
    try:
        for channel in (SITES, CERTIFICATES):
            await connection.add_listener(channel, listeners.tell)
        listeners.doubt_all()
        outage.connected()
        while not lost.is_set():
            await _check(connection)
            await wait_at_most(lost, PULSE_SECONDS)
    finally:
        with suppress(Exception):
            await connection.close(timeout=1)


async def _check(connection: Connection) -> None:
    """A network that swallows everything looks like silence."""
    async with asyncio.timeout(PULSE_WAIT_SECONDS):
        await store.check_connection(connection)
