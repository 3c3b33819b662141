"""The connections of all processes fit into the database server's limit, or a message says what to change."""

from pathlib import Path
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import asyncpg
import pytest

from sitewright.kit.connection_budget import SPARE, ConnectionBudget, connections_needed, fitted, read_budget
from sitewright.kit.databases import database_for
from sitewright.settings import Settings, SettingsError
from tests.support.users import OwnerConnection

PARTS = ("api", "edge", "worker")


def _budget(allowed: int, *, workers: int, database_connections: int) -> ConnectionBudget:
    chosen = Settings(workers=workers, edge_processes=1, database_connections=database_connections)
    return ConnectionBudget(chosen, {"api": workers, "edge": 1, "worker": 1}, allowed)


def test_all_pools_and_listening_connections_count() -> None:
    chosen = Settings(workers=2, edge_processes=3, database_connections=16)
    assert connections_needed(chosen, ["api"]) == 2 * (16 + 1) + SPARE
    assert connections_needed(chosen, PARTS) == 2 * (16 + 1) + 3 * (16 + 1) + (16 + 2) + SPARE
    several = Settings(workers=2, edge_processes=3, database_connections=16, database_url="postgresql://a@one,two/db")
    assert connections_needed(several, PARTS) == connections_needed(chosen, PARTS) + 6, "each watches the primary"


def test_a_sufficient_budget_changes_nothing() -> None:
    budget = _budget(97, workers=2, database_connections=16)
    assert (budget.is_sufficient, fitted(budget)) == (True, budget.settings)


def test_an_insufficient_budget_reduces_the_connections_and_says_what_to_change() -> None:
    budget = _budget(97, workers=8, database_connections=16)
    within = fitted(budget)
    assert (within.database_connections, within.workers) == (8, 8)
    assert connections_needed(within, PARTS) <= 97
    for said in ("allows 97", "8 api, 1 edge, 1 worker", "SITEWRIGHT_DATABASE_CONNECTIONS to 8", "SITEWRIGHT_WORKERS"):
        assert said in str(budget)


def test_a_budget_below_the_minimum_is_rejected() -> None:
    with pytest.raises(SettingsError, match="even 2 for each process do not fit"):
        fitted(_budget(20, workers=8, database_connections=16))


async def test_reserved_connections_and_limits_of_the_role_count(
    database_url: str, owner_connection: OwnerConnection
) -> None:
    name = f"limited_{uuid4().hex[:8]}"
    await owner_connection.execute(f"create role {name} login password 'limited'")
    parts = urlsplit(database_url)
    limited = urlunsplit(parts._replace(netloc=f"{name}:limited@{parts.netloc.rpartition('@')[2]}"))
    try:
        of_server = (await read_budget(limited, Settings(), PARTS)).allowed
        await owner_connection.execute(f"alter role {name} connection limit 30")
        of_role = (await read_budget(limited, Settings(), PARTS)).allowed
    finally:
        await owner_connection.execute(f"drop role {name}")
    most = int(await owner_connection.fetchval("show max_connections"))
    reserved = int(await owner_connection.fetchval("show superuser_reserved_connections"))
    assert (of_server, of_role) == (most - reserved, 30)


async def _max_connections(url: str) -> int:
    connection = await asyncpg.connect(url)
    most = int(await connection.fetchval("show max_connections"))
    await connection.close()
    return most


async def test_the_embedded_server_allows_all_connections(tmp_path: Path) -> None:
    chosen = Settings(data_dir=str(tmp_path), workers=40, database_connections=20)
    with database_for(chosen) as urls:
        assert await _max_connections(urls.owner) >= connections_needed(chosen, PARTS)
        assert (await read_budget(urls.service, chosen, PARTS)).is_sufficient
