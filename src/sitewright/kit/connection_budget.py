"""Checks that all processes' connections fit into the database server's limit: at start, and by `doctor`."""

from collections.abc import Sequence

import msgspec

from sitewright.kit.primary import connect
from sitewright.kit.primary.urls import split_hosts
from sitewright.settings import Settings, SettingsError

OUTSIDE_POOL = {"api": 1, "edge": 1, "worker": 2}
"""Connections of a process outside its pool: for LISTEN, and for the worker's queue and lease. With several hosts, one
more, which watches the primary."""
SPARE = 4  # for commands and migrations
MIN_PER_PROCESS = 2
WAIT_SECONDS = 5.0
ALLOWED = """
    select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
           - coalesce(current_setting('reserved_connections', true), '0')::int as server,
           nullif(datconnlimit, -1) as database, nullif(rolconnlimit, -1) as role
    from pg_database, pg_roles where datname = current_database() and rolname = session_user
"""


class ConnectionBudget(msgspec.Struct, frozen=True):
    """The connections that the named parts of this node need, and how many the server allows."""

    settings: Settings
    processes: dict[str, int]
    allowed: int

    @property
    def needed(self) -> int:
        return connections_needed(self.settings, list(self.processes))

    @property
    def is_sufficient(self) -> bool:
        return self.needed <= self.allowed

    @property
    def max_per_process(self) -> int:
        outside_pool = sum(_outside_pool(self.settings, part) * number for part, number in self.processes.items())
        return (self.allowed - outside_pool - SPARE) // sum(self.processes.values())

    def __str__(self) -> str:
        counted = ", ".join(f"{number} {part}" for part, number in self.processes.items())
        return (
            f"The database's server allows {self.allowed} connections; the processes of this node ({counted}) with"
            f" {self.settings.database_connections} each need {self.needed}. Lower SITEWRIGHT_DATABASE_CONNECTIONS to"
            f" {max(MIN_PER_PROCESS, self.max_per_process)}, or SITEWRIGHT_WORKERS and SITEWRIGHT_EDGE_PROCESSES,"
            f" or raise max_connections of the server by {self.needed - self.allowed}"
        )


def processes_of(settings: Settings, part: str) -> int:
    return {"api": settings.api_processes, "edge": settings.edge_server_processes}.get(part, 1)


def _outside_pool(settings: Settings, part: str) -> int:
    return OUTSIDE_POOL[part] + (len(split_hosts(settings.database_url)) > 1)


def connections_needed(settings: Settings, parts: Sequence[str]) -> int:
    each = settings.database_connections
    return sum(processes_of(settings, part) * (each + _outside_pool(settings, part)) for part in parts) + SPARE


async def read_budget(url: str, settings: Settings, parts: Sequence[str]) -> ConnectionBudget:
    """Raises the driver's errors if the database is unavailable."""
    connection = await connect(url, wait_seconds=WAIT_SECONDS)
    try:
        row = await connection.fetchrow(ALLOWED)
    finally:
        await connection.close(timeout=WAIT_SECONDS)
    limits = [limit for limit in (row or ()) if limit is not None]
    return ConnectionBudget(settings, {part: processes_of(settings, part) for part in parts}, min(limits))


def fitted(budget: ConnectionBudget) -> Settings:
    """The settings, with the number of connections per process reduced to the server's limit."""
    if budget.is_sufficient:
        return budget.settings
    if budget.max_per_process < MIN_PER_PROCESS:
        raise SettingsError(f"{budget}: even {MIN_PER_PROCESS} for each process do not fit.")
    return msgspec.structs.replace(budget.settings, database_connections=budget.max_per_process)
