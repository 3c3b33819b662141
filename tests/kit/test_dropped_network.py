"""A network that silently drops packets is detected within ten seconds; a long statement otherwise continues."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from sitewright.kit import clock
from sitewright.kit.database_sockets import IDLE_SECONDS, PROBE_SECONDS, PROBES, UNACKNOWLEDGED_MILLISECONDS
from sitewright.kit.db import Database, open_database
from sitewright.kit.problems import Unavailable
from tests.support.eventually import eventually
from tests.support.namespace import ALIVE, SILENT, Namespace, namespace
from tests.support.relay import over_tcp, socket_of
from tests.support.timeouts import HANG_SECONDS
from tests.support.users import OwnerConnection

pytestmark = pytest.mark.system

PORT = 5432
NOTICED_WITHIN = 60.0
"""Seconds: far below the quarter of an hour after which TCP itself gives up, and above the ten that are promised."""
LONG = 12  # seconds; longer than it takes to notice


@asynccontextmanager
async def _database(elsewhere: Namespace, url: str, address: str, name: str) -> AsyncIterator[Database]:
    async with elsewhere.running("-m", "tests.support.relay", socket_of(url), address, str(PORT)):
        database = open_database(over_tcp(url, address, PORT), connections=2, wait_seconds=HANG_SECONDS, name=name)
        yield database
        await database.close()


async def _unavailable(database: Database, statement: str) -> float:
    """Run the statement, which must fail because the database is unavailable; returns when it failed."""
    with pytest.raises(Unavailable):
        async with database.connection() as connection:
            await connection.fetchval(statement)
    return clock.stopwatch()


async def _sleep(database: Database, seconds: int) -> str:
    async with database.connection() as connection:
        await connection.fetchval(f"select pg_sleep({seconds})")
    return "slept"


def test_the_socket_options_add_up_to_less_than_ten_seconds() -> None:
    assert IDLE_SECONDS + PROBES * PROBE_SECONDS < 10
    assert UNACKNOWLEDGED_MILLISECONDS < 10_000


async def test_dropped_packets_are_detected_and_a_long_statement_survives(
    database_url: str, owner_connection: OwnerConnection, clean: None
) -> None:
    async def are_sleeping() -> bool:
        query = "select count(*) from pg_stat_activity where query like 'select pg_sleep%' and application_name like $1"
        sleeping: int = await owner_connection.fetchval(query, "sitewright dropped-%")
        return sleeping == 2

    with namespace() as elsewhere:
        async with (
            _database(elsewhere, database_url, SILENT, "dropped-silent") as silent,
            _database(elsewhere, database_url, ALIVE, "dropped-alive") as alive,
            asyncio.TaskGroup() as group,
        ):
            async with silent.connection(), silent.connection():
                pass  # both are open, and idle
            surviving = group.create_task(_sleep(alive, LONG))
            waiting = group.create_task(_unavailable(silent, f"select pg_sleep({6 * LONG})"))
            await eventually(are_sleeping)
            elsewhere.drop_replies(SILENT)
            dropped_at = clock.stopwatch()
            sending = group.create_task(_unavailable(silent, "select 2"))
    noticed = [task.result() - dropped_at for task in (waiting, sending)]
    assert (max(noticed) < NOTICED_WITHIN, surviving.result()) == (True, "slept"), noticed
