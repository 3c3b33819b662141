"""Staging tables in a schema of their own, what of an archive is in them, and the refs that change."""
# ruff: noqa: S608

from collections.abc import AsyncIterator, Iterable, Sequence

from sitewright.kit.db import Transaction
from sitewright.transfer.store import DELIMITER, QUOTE

ROWS_AT_ONCE = 500


async def _once(block: bytes) -> AsyncIterator[bytes]:
    """For the driver, which would wrap a file in a reference cycle: its blocks would stay in memory until they are
    garbage-collected."""
    yield block


class StagingTables:
    """The staging tables of one archive. They are not logged: after a crash of the server they are empty again.

    A dry run has its own, so that it keeps what an interrupted import has staged.
    """

    def __init__(self, owner: Transaction, digest: str, *, is_dry_run: bool = False) -> None:
        self.owner = owner
        self.schema = f"brand_{'check' if is_dry_run else 'import'}_{digest[:16]}"

    def table(self, name: str) -> str:
        return f"{self.schema}.t_{name}"

    async def prepare(self, names: Iterable[str]) -> None:
        s = self.schema
        await self.owner.execute(
            "set synchronous_commit = off;"  # of staged rows; the last transaction is committed synchronously
            f"create schema if not exists {s};"
            f"create unlogged table if not exists {s}.files"
            " (name text primary key, blocks bigint not null default 0, is_complete boolean not null default false,"
            "  is_sealed boolean not null default false);"
            f"create unlogged table if not exists {s}.refs"
            " (kind text, old bigint, new bigint not null, primary key (kind, old));"
            f"create unlogged table if not exists {s}.media (key text primary key);"
            + "".join(
                f"create unlogged table if not exists {self.table(name)} (row json);"
                f"alter table {self.table(name)} alter column row set storage external;"
                for name in names
            )
        )

    async def drop(self) -> None:
        await self.owner.execute(f"drop schema if exists {self.schema} cascade")

    async def progress_of(self, name: str) -> tuple[int, bool]:
        """How many blocks of a file are staged, and whether all of them are."""
        row = await self.owner.fetchrow(f"select blocks, is_complete from {self.schema}.files where name = $1", name)
        return (0, False) if row is None else (row[0], row[1])

    async def add_block(self, name: str, block: bytes) -> None:
        async with self.owner.transaction():
            await self.owner.copy_to_table(
                f"t_{name}",
                schema_name=self.schema,
                source=_once(block),
                columns=["row"],
                format="csv",
                quote=QUOTE,
                delimiter=DELIMITER,
                escape=QUOTE,
                encoding="utf8",
            )
            await self.owner.execute(
                f"insert into {self.schema}.files as f (name, blocks) values ($1, 1)"
                " on conflict (name) do update set blocks = f.blocks + 1",
                name,
            )

    async def complete(self, name: str) -> None:
        await self.owner.execute(
            f"insert into {self.schema}.files (name, is_complete) values ($1, true)"
            " on conflict (name) do update set is_complete = true",
            name,
        )

    async def is_sealed(self, name: str) -> bool:
        return await self.owner.fetchval(f"select is_sealed from {self.schema}.files where name = $1", name) is True

    async def mark_sealed(self, name: str) -> None:
        await self.owner.execute(f"update {self.schema}.files set is_sealed = true where name = $1", name)

    async def rows(self, name: str) -> AsyncIterator[tuple[tuple[int, int], str]]:
        """The place and the JSON of each staged row; inside a transaction."""
        async for row in self.owner.cursor(f"select ctid, row::text from {self.table(name)}", prefetch=ROWS_AT_ONCE):
            yield row[0], row[1]

    async def replace_rows(self, name: str, rows: Sequence[tuple[tuple[int, int], str]]) -> None:
        await self.owner.executemany(f"update {self.table(name)} set row = $2::text::json where ctid = $1", rows)

    async def mapped(self) -> set[str]:
        """The tables some of whose refs change."""
        return {row[0] for row in await self.owner.fetch(f"select distinct kind from {self.schema}.refs")}

    async def new_ref(self, kind: str, old: int) -> int:
        found: int | None = await self.owner.fetchval(
            f"select new from {self.schema}.refs where kind = $1 and old = $2", kind, old
        )
        return old if found is None else found

    async def read_refs(self) -> AsyncIterator[tuple[str, int, int]]:
        query = f"select kind, old, new from {self.schema}.refs order by kind, old"
        async with self.owner.transaction():
            async for row in self.owner.cursor(query, prefetch=ROWS_AT_ONCE):
                yield row[0], row[1], row[2]

    async def set_ref(self, kind: str, old: int, new: int) -> None:
        await self.owner.execute(
            f"insert into {self.schema}.refs values ($1, $2, $3) on conflict do nothing", kind, old, new
        )

    async def has_medium(self, brand_ref: int, key: str) -> bool:
        return (
            await self.owner.fetchval(
                f"select exists (select from {self.schema}.media m join media_objects o"
                " on o.brand_ref = $1 and o.key = m.key where m.key = $2)",
                brand_ref,
                key,
            )
            is True
        )

    async def add_medium(self, key: str) -> None:
        await self.owner.execute(f"insert into {self.schema}.media values ($1) on conflict do nothing", key)

    async def count_media(self) -> int:
        count: int = await self.owner.fetchval(f"select count(*) from {self.schema}.media")
        return count
