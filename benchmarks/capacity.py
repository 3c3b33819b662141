"""`make capacity`: what a customer takes in the database, for docs/scaling.md: bytes and rows by table, log, backup.

Customers are provisioned through the API as in `benchmarks.provisioning`: user, package, site, two domains, three
pages, publish; with their mails, events, audit entries, statistics and search terms.
"""

import asyncio
import sys
import time

import asyncpg
import msgspec
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.provisioning import MANY, Provisioning
from benchmarks.service import EVERY_CORE, Service, own_folder, running_service
from sitewright.kit.dumps import write_dump

CUSTOMERS = 500
BATCH = 50
SMALLEST_SHOWN = 50  # bytes
LONGEST_SECONDS = 300
SIZES = """
    select relname, pg_table_size(oid), pg_indexes_size(oid), greatest(reltuples, 0)::bigint from pg_class
     where relkind = 'r' and relnamespace = any('{public, jobs}'::regnamespace[])
"""
LOG = "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint"
PENDING = "select exists (select from mails where sent_at is null) or exists (select from event_inbox)"


class Size(msgspec.Struct, frozen=True):
    heap: int
    indexes: int
    rows: int

    def since(self, before: "Size") -> "Size":
        return Size(self.heap - before.heap, self.indexes - before.indexes, self.rows - before.rows)

    @property
    def bytes(self) -> int:
        return self.heap + self.indexes


class State(msgspec.Struct, frozen=True):
    tables: dict[str, Size]
    log: int


def main() -> int:
    with own_folder() as folder, running_service(folder, api_processes=EVERY_CORE) as service:
        provisioning = Provisioning(service, LONGEST_SECONDS)
        provisioning.rate(MANY, BATCH)
        before = asyncio.run(_settled(service))
        batches = range(CUSTOMERS // BATCH)
        for _ in track(batches, "customers provisioned", auto_refresh=False, console=Console(stderr=True)):
            provisioning.rate(MANY, BATCH)
        after = asyncio.run(_settled(service))
        _show(before, after)
        _show_backup(service)
    return 0


async def _settled(service: Service) -> State:
    """The sizes when the worker has done what the calls caused, and vacuum has run."""
    owner = await asyncpg.connect(service.database_url)
    try:
        deadline = time.monotonic() + LONGEST_SECONDS
        while await owner.fetchval(PENDING) and time.monotonic() < deadline:  # noqa: ASYNC110 - another process works
            await asyncio.sleep(0.2)
        log = await owner.fetchval(LOG)
        await owner.execute("vacuum analyze")
        return State({row[0]: Size(*row[1:]) for row in await owner.fetch(SIZES)}, log)
    finally:
        await owner.close()


def _show(before: State, after: State) -> None:
    added = {name: size.since(before.tables[name]) for name, size in after.tables.items()}
    table = Table("Table", "Rows", "Bytes", "of these, indexes", title=f"for each of {CUSTOMERS:,} customers")
    for name, size in sorted(added.items(), key=lambda each: -each[1].bytes):
        if size.bytes >= SMALLEST_SHOWN * CUSTOMERS:
            values = (size.rows / CUSTOMERS, size.bytes / CUSTOMERS, size.indexes / CUSTOMERS)
            table.add_row(name, *(f"{value:,.1f}" if value < 10 else f"{value:,.0f}" for value in values))
    total = Size(*(sum(getattr(size, part) for size in added.values()) for part in ("heap", "indexes", "rows")))
    table.add_row("all", *(f"{each / CUSTOMERS:,.0f}" for each in (total.rows, total.bytes, total.indexes)))
    table.add_row("write-ahead log", "", f"{(after.log - before.log) / CUSTOMERS:,.0f}", "")
    Console().print(table)


def _show_backup(service: Service) -> None:
    file = service.folder / "backup"
    started = time.perf_counter()
    write_dump(service.database_url, file)
    seconds = time.perf_counter() - started
    size = file.stat().st_size / CUSTOMERS
    print(f"backup: {size:,.0f} bytes a customer, {CUSTOMERS / seconds:,.0f} customers a second")


if __name__ == "__main__":
    sys.exit(main())
