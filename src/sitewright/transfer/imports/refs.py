"""Decides which refs the imported rows get, and finds what exists here already."""

from collections.abc import Callable

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.sequences import store as sequences
from sitewright.transfer import tables
from sitewright.transfer.archive import File
from sitewright.transfer.imports import store
from sitewright.transfer.imports.compatibility import check_refs
from sitewright.transfer.imports.store import Staging
from sitewright.transfer.schema import Schema, Table

NAMES = {
    ("site_domains", "domain"): "host",
    ("account_domains", "domain"): "domain",
    ("registered_domains", "domain"): "registered domain",
    ("operators", "username"): "operator's username",
    ("api_credentials", "consumer_key"): "consumer key",
    ("templates", "directory"): "template directory",
}
OnCollision = Callable[[str], None]


class Refs(msgspec.Struct):
    """`on_collision` is called with each thing that exists here already."""

    owner: Transaction
    staging: Staging
    schema: Schema
    files: dict[str, File]
    on_collision: OnCollision
    remap: bool
    is_dry_run: bool
    collisions: int = 0
    brand_ref: int = 0

    async def assign(self, former_brand_ref: int) -> None:
        """Assign refs; `collisions` then counts what the import would overwrite, and nothing may be imported."""
        await self._assign_brand(former_brand_ref)
        for name, key in tables.SHARED.items():
            await self._map_shared(name, name, key, "true")
        await self._map_shared(tables.SHARED_TEMPLATES, "templates", "directory", "t.brand_ref is null")
        missing = await self.staging.map_shared(tables.FOREIGN_PACKAGES, "packages", "key", "t.is_global = 1", None)
        for key in missing:
            self._collide(f"The global package {key} of another brand is used, and does not exist here.")
        for table in self._with_unique_refs():
            await self._assign_table(table)
        for domain in await store.brand_with_domain(self.owner, self.staging.table("brands")):
            self._collide(f"brand domain {domain}")
        await self._find_other_collisions()

    async def _assign_brand(self, former: int) -> None:
        brands = self.schema.tables["brands"]
        self.brand_ref = await self.staging.new_ref("brands", former)
        if not await store.brand_exists(self.owner, self.brand_ref):
            return
        if not self.remap:
            self._collide(f"brand ref {former}")
        elif not self.is_dry_run:
            self.brand_ref = await store.take_ref(self.owner, brands)
            await self.staging.set_ref("brands", former, self.brand_ref)

    async def _map_shared(self, name: str, target: str, key: str, condition: str) -> None:
        table = self.schema.tables[target]
        await self._reserve(table, name)
        new = "-s.old" if self.is_dry_run else store.next_ref(table)
        await self.staging.map_shared(name, target, key, condition, new)

    def _with_unique_refs(self) -> list[Table]:
        """Tables whose refs are unique in the whole installation."""
        unique = {each.table for each in self.schema.unique if each.is_ref_of(self.schema.tables[each.table])}
        return [table for table in self.schema.exported if table.name in unique and table.name in self.files]

    async def _assign_table(self, table: Table) -> None:
        await self._reserve(table, table.name)
        if self.remap:
            await self.staging.map_taken_refs(table, "-s.ref" if self.is_dry_run else store.next_ref(table))

    async def _reserve(self, table: Table, staged: str) -> None:
        """New refs, of the import and of others, are greater than those of the archive."""
        lowest, highest = await self.staging.ref_limits(staged, table.identity or "ref")
        check_refs(table.name, lowest, highest)
        if not self.is_dry_run:
            await sequences.advance(self.owner, table.name, table.identity or "ref", highest)

    async def _find_other_collisions(self) -> None:
        for index in self.schema.unique:
            file, table = self.files.get(index.table), self.schema.tables[index.table]
            if file is None or not set(index.columns) <= set(file.columns) or table.name in tables.SHARED:
                continue
            what = NAMES.get((table.name, index.columns[0]), f"{table.name} {' and '.join(index.columns)}")
            async for value in self.staging.collisions(table, file.columns, index, self.brand_ref):
                self._collide(f"{what} {value}")

    def _collide(self, what: str) -> None:
        self.collisions += 1
        self.on_collision(what)
