"""Notices that the primary does not respond, or is another server now, and ends the connections to the former one.

This also holds where the watch itself has no connection, because the primary stalled before it could connect.

The kernel of a stalled server still acknowledges packets, so neither keep-alive nor a closed connection reveals it.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable

import asyncpg

from sitewright.kit.pool import Connection
from sitewright.kit.primary import HOST_SECONDS, SILENT_SECONDS, Hosts, store
from sitewright.kit.problems import Unavailable

CHECK_SECONDS = 1.0
CONNECT_SECONDS = SILENT_SECONDS + 2 * HOST_SECONDS
"""For the known primary, and for a search if it does not respond. A request may wait longer for its connection."""
RECONNECT_SECONDS = 0.5
_log = logging.getLogger("sitewright.database")


async def watch_primary(hosts: Hosts, connect: Callable[[], Awaitable[Connection]]) -> None:
    """On a connection of its own, until cancelled."""
    while True:
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                connection = await connect()
            await _watch_once(hosts, connection)
        except (Unavailable, TimeoutError):  # the database logs why it is unavailable
            hosts.end_silent_connections()
        except Exception:
            _log.exception("watching the primary failed")
        await asyncio.sleep(RECONNECT_SECONDS)


async def _watch_once(hosts: Hosts, connection: Connection) -> None:
    try:
        hosts.end_other_connections(connection)
        await _check_repeatedly(hosts, connection)
    finally:
        connection.terminate()


async def _check_repeatedly(hosts: Hosts, connection: Connection) -> None:
    """Returns when the server is not the primary any more, or does not respond, or has closed this connection."""
    try:
        while True:
            async with asyncio.timeout(SILENT_SECONDS):
                is_primary = await store.writable_timeline(connection) > 0
            if not is_primary:
                break
            await asyncio.sleep(CHECK_SECONDS)
    except (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, ConnectionError):
        return  # the server has closed its other connections too, or only this one
    except TimeoutError:
        pass
    hosts.end_connections(connection)
