"""Statements of the import that compare staged rows with the real tables, and move them there.

Names of tables and columns are those of the database's own schema: the archive's were compared with it.
"""
# ruff: noqa: S608

from collections.abc import AsyncIterator, Sequence
from datetime import datetime

from sitewright.kit.db import Transaction
from sitewright.transfer import tables
from sitewright.transfer.imports.staging.store import ROWS_AT_ONCE, StagingTables
from sitewright.transfer.schema import Table, UniqueIndex, target_of

PAGES_AT_ONCE = 4096
OBJECT_KEY = "^[0-9]{1,15}/[0-9]{1,15}/[0-9a-f]{32}$"


class Staging(StagingTables):
    """The rows of one archive, with the refs that they get here."""

    async def ref_limits(self, name: str, column: str) -> tuple[int, int]:
        """The lowest and the highest ref of the staged rows."""
        row = await self.owner.fetchrow(
            f"select coalesce(min(ref), 1), coalesce(max(ref), 1) from"
            f" (select (row ->> '{column}')::bigint as ref from {self.table(name)}) r"
        )
        assert row is not None  # noqa: S101 - an aggregate always returns a row
        return row[0], row[1]

    async def map_shared(self, name: str, target: str, key: str, condition: str, new: str | None) -> list[str]:
        """Find rows of a shared table by their key; `new` is an expression for the refs of those that are missing.

        Without it, the keys of those that are missing are returned.
        """
        found = f"(select min(t.ref) from public.{target} t where t.{key} = s.key and {condition})"
        staged = f"(select (row ->> 'ref')::bigint as old, row ->> '{key}' as key from {self.table(name)}) s"
        free = f"when not exists (select from public.{target} t where t.ref = s.old) then s.old"
        added = f"case {free} else {new} end" if new else "null"
        await self.owner.execute(
            f"insert into {self.schema}.refs select '{target}', s.old, r.new"
            f" from {staged} cross join lateral (select coalesce({found}, {added}) as new offset 0) r"
            " where r.new <> s.old on conflict (kind, old) do update set new = excluded.new"
        )
        if new:
            return []
        return [row[0] for row in await self.owner.fetch(f"select s.key from {staged} where {found} is null")]

    async def add_missing_shared(self, name: str, columns: Sequence[str]) -> None:
        names = ", ".join(columns)
        ref = self._new_ref(name, "r.ref")
        values = ", ".join(ref if column == "ref" else f"r.{column}" for column in columns)
        await self.owner.execute(
            f"insert into public.{name} ({names}) overriding system value select {values}"
            f" from {self.table(name)} s cross join lateral json_populate_record(null::public.{name}, s.row) r"
            f" where not exists (select from public.{name} t where t.ref = {ref})"
        )

    async def add_missing_templates(self, table: Table, brand_ref: int) -> None:
        """Shared templates that do not exist here become the brand's own."""
        columns = [column.name for column in table.columns if column.name != "brand_ref"]
        ref = self._new_ref(table.name, "r.ref")
        selected = self._select(table, columns, brand_ref, await self.mapped(), source=tables.SHARED_TEMPLATES)
        await self.owner.execute(
            f"insert into public.{table.name} (brand_ref, {', '.join(columns)}) overriding system value {selected}"
            f" where not exists (select from public.{table.name} t where t.ref = {ref})"
        )

    async def collisions(
        self, table: Table, columns: Sequence[str], index: UniqueIndex, brand_ref: int
    ) -> AsyncIterator[str]:
        """What a unique index of the whole installation contains already."""
        names = ", ".join(index.columns)
        condition = index.condition or "true"
        new = self._select(table, columns, brand_ref, await self.mapped())
        shown = " || ' ' || ".join(f"{name}::text" for name in index.columns)
        query = (
            f"select {shown} from (select {names} from ({new}) n where {condition}) n"
            f" join (select {names} from public.{table.name} where {condition}) t using ({names}) order by 1"
        )
        async with self.owner.transaction():
            async for row in self.owner.cursor(query, prefetch=ROWS_AT_ONCE):
                yield row[0]

    async def map_taken_refs(self, table: Table, new: str) -> None:
        """Give new refs to the staged rows whose refs are taken; `new` is an expression."""
        await self.owner.execute(
            f"insert into {self.schema}.refs select '{table.name}', s.ref, {new} from"
            f" (select (row ->> '{table.identity}')::bigint as ref from {self.table(table.name)}) s"
            f" where exists (select from public.{table.name} t where t.{table.identity} = s.ref) on conflict do nothing"
        )

    async def count_pages(self, name: str) -> int:
        size: int = await self.owner.fetchval(
            "select pg_relation_size($1::text::regclass) / current_setting('block_size')::bigint", self.table(name)
        )
        return size

    async def insert_rows(
        self, table: Table, columns: Sequence[str], brand_ref: int, mapped: set[str]
    ) -> AsyncIterator[int]:
        """Insert the staged rows, some pages at a time; gives the number of rows of each batch."""
        selected = self._select(table, columns, brand_ref, mapped)
        names = ", ".join(["brand_ref", *columns])
        statement = f"insert into public.{table.name} ({names}) overriding system value {selected}"
        for page in range(0, await self.count_pages(table.name), PAGES_AT_ONCE):
            status = await self.owner.execute(
                f"{statement} where s.ctid >= $1 and s.ctid < $2", (page, 0), (page + PAGES_AT_ONCE, 0)
            )
            yield int(status.rpartition(" ")[2])

    async def set_late_columns(self, table: Table, names: Sequence[str], brand_ref: int, mapped: set[str]) -> None:
        selected = self._select(table, names, brand_ref, mapped, late=True)
        changes = ", ".join(f"{name} = n.{name}" for name in names)
        await self.owner.execute(
            f"update public.{table.name} t set {changes} from ({selected}) n where t.brand_ref = n.brand_ref"
        )

    def _select(
        self,
        table: Table,
        columns: Sequence[str],
        brand_ref: int,
        mapped: set[str],
        *,
        late: bool = False,
        source: str | None = None,
    ) -> str:
        """The staged rows with their new refs."""
        inserted_last = () if late else tables.INSERTED_LAST.get(table.name, ())
        values = [
            f"null as {name}" if name in inserted_last else f"{self._value(table, name, brand_ref, mapped)} as {name}"
            for name in columns
        ]
        return (
            f"select {', '.join([f'{brand_ref:d}::bigint as brand_ref', *values])}"
            f" from {self.table(source or table.name)} s"
            f" cross join lateral json_populate_record(null::public.{table.name}, s.row) r"
        )

    def _value(self, table: Table, name: str, brand_ref: int, mapped: set[str]) -> str:
        if (table.name, name) in tables.OBJECT_KEYS:
            site = self._new_ref("sites", f"split_part(r.{name}, '/', 2)::bigint")
            key = f"'{brand_ref:d}/' || {site} || '/' || split_part(r.{name}, '/', 3)"
            return f"case when r.{name} ~ '{OBJECT_KEY}' then {key} end"
        target = table.name if name == table.identity else target_of(table.name, name)
        if target is None or target not in mapped:
            return f"r.{name}"
        if any(column.name == name and column.type.endswith("[]") for column in table.columns):
            return (
                f"array(select {self._new_ref(target, 'e')} from unnest(r.{name}) with ordinality u (e, o) order by o)"
            )
        return self._new_ref(target, f"r.{name}")

    def _new_ref(self, kind: str, old: str) -> str:
        found = f"select m.new from {self.schema}.refs m where m.kind = '{kind}' and m.old = {old}"
        return f"coalesce(({found}), {old})"


async def brand_exists(owner: Transaction, brand_ref: int) -> bool:
    return await owner.fetchval("select exists (select from brands where brand_ref = $1)", brand_ref) is True


async def brand_with_domain(owner: Transaction, staged: str) -> list[str]:
    """The domain of the staged brand, if another brand has it."""
    rows = await owner.fetch(
        f"select b.domain from brands b join {staged} s on lower(b.domain) = lower(s.row ->> 'domain')"
    )
    return [row[0] for row in rows]


def next_ref(table: Table) -> str:
    """An expression for a new ref."""
    return f"nextval(pg_get_serial_sequence('public.{table.name}', '{table.identity}'))"


async def take_ref(owner: Transaction, table: Table) -> int:
    ref: int = await owner.fetchval(f"select {next_ref(table)}")
    return ref


async def highest_ref(owner: Transaction, table: Table, brand_ref: int) -> int:
    ref: int = await owner.fetchval(
        f"select coalesce(max({table.identity}), 0) from public.{table.name} where brand_ref = $1", brand_ref
    )
    return ref


async def delete_rows(owner: Transaction, name: str, brand_ref: int) -> None:
    await owner.execute(f"delete from public.{name} where brand_ref = $1", brand_ref)


async def insert_brand(owner: Transaction, name: str, brand_ref: int) -> None:
    """A row of a table that has one for each brand."""
    await owner.execute(f"insert into public.{name} (brand_ref) values ($1) on conflict do nothing", brand_ref)


async def begin_anew(owner: Transaction, brand_ref: int, check_not_before: datetime) -> None:
    """What refers to the former installation: events that stayed there, and hosts that still lead to it.

    A reader of the feed that had not read them all gets an error. Hosts are checked when they have been pointed
    here: before, account holders would get mails that their websites fail.
    """
    await owner.execute("update event_sequences set pruned = last where brand_ref = $1", brand_ref)
    await owner.execute(
        "update domain_checks set due_at = greatest(due_at, $2) where brand_ref = $1 and due_at is not null",
        brand_ref,
        check_not_before,
    )
