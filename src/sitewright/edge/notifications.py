"""LISTEN for changed sites and certificates on a dedicated database connection, and invalidate the caches."""

import asyncio
import logging
from contextlib import suppress

import asyncpg

from sitewright.edge import store
from sitewright.edge.certificate_cache import CertificateCache
from sitewright.edge.site_cache import SiteCache
from sitewright.kit.db import DATABASE_OUTAGE, Database
from sitewright.kit.pool import Connection
from sitewright.kit.problems import Unavailable
from sitewright.kit.waiting import wait_at_most

SITES, CERTIFICATES = "sitewright_sites", "sitewright_certificates"
RECONNECT_SECONDS = 0.5
HEARTBEAT_SECONDS = 10.0
HEARTBEAT_TIMEOUT_SECONDS = 5.0
_log = logging.getLogger("sitewright.edge")


class CacheInvalidator:
    """Forwards notifications to the caches that they invalidate."""

    def __init__(self, sites: SiteCache, certificates: CertificateCache) -> None:
        self._sites = sites
        self._certificates = certificates

    def on_notification(self, _connection: object, _pid: int, channel: str, payload: object) -> None:
        """Handle one notification; mapping or unmapping a host also invalidates its certificate."""
        text = str(payload)
        if channel == SITES:
            self._sites.on_notification(text)
            text = text.partition(" ")[2]
        if text:
            self._certificates.on_notification(text)

    def expire_all(self) -> None:
        self._certificates.expire_all()
        self._sites.expire_all()


class OutageLog:
    """Logs the start and the end of an outage, and none of the attempts in between."""

    def __init__(self) -> None:
        self._is_out = False

    def failed(self, error: Exception) -> None:
        if not self._is_out:
            _log.warning("not notified of changes, retrying until it works: %s", type(error).__name__)
        self._is_out = True

    def connected(self) -> None:
        if self._is_out:
            _log.info("notified of changes again")
        self._is_out = False


async def listen_for_changes(database: Database, invalidator: CacheInvalidator) -> None:
    """Run for the life of the process; a lost connection is reopened."""
    outage = OutageLog()
    while True:
        try:
            await _listen(database, invalidator, outage)
        except (
            Unavailable,
            TimeoutError,
            asyncpg.PostgresError,
            asyncpg.InterfaceError,
            *DATABASE_OUTAGE,
        ) as error:
            outage.failed(error)
        await asyncio.sleep(RECONNECT_SECONDS)


async def _listen(database: Database, invalidator: CacheInvalidator, outage: OutageLog) -> None:
    connection = await database.connect()
    lost = asyncio.Event()
    connection.add_termination_listener(lambda _connection: lost.set())
    try:
        for channel in (SITES, CERTIFICATES):
            await connection.add_listener(channel, invalidator.on_notification)
        invalidator.expire_all()
        outage.connected()
        while not lost.is_set():
            await _check_connection(connection)
            await wait_at_most(lost, HEARTBEAT_SECONDS)
    finally:
        with suppress(Exception):
            await connection.close(timeout=1)


async def _check_connection(connection: Connection) -> None:
    """Detect a dead connection: a network that drops all packets looks like one without notifications."""
    async with asyncio.timeout(HEARTBEAT_TIMEOUT_SECONDS):
        await store.check_connection(connection)
