"""Imports a brand: staging, refs and collisions, media and secrets, then one transaction that makes it visible.

Everything before that transaction can be interrupted, and continues when the command is run again. Until then the rows
are in staging tables, which only the owner of the database can read.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import asyncpg
import msgspec

from sitewright.kit import audit, clock
from sitewright.kit.advisory_locks import Lock, try_lock
from sitewright.kit.atomic_files import replacing
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.resources import Resources
from sitewright.kit.sealed_columns import SealedColumn
from sitewright.kit.sequences import store as sequences
from sitewright.sites.media.storage import service as media_storage
from sitewright.transfer import tables
from sitewright.transfer.archive import ArchiveReader, File
from sitewright.transfer.errors import ArchiveDamaged, CollisionsFound, TransferError
from sitewright.transfer.imports import media, store
from sitewright.transfer.imports.compatibility import check_manifest, check_refs
from sitewright.transfer.imports.refs import OnCollision, Refs
from sitewright.transfer.imports.secrets import Secrets
from sitewright.transfer.imports.store import Staging
from sitewright.transfer.recipients import SecretBox
from sitewright.transfer.schema import Schema
from sitewright.transfer.store import DELIMITER, QUOTE, read_schema, set_brand

OnProgress = Callable[[str, int], None]
"""Called with the step (`read`, `media` or `insert`), and the bytes or rows that were done."""
TIME_TO_POINT_HOSTS = timedelta(days=1)
"""In which the hosts of an imported brand are made to lead here."""
INVALID_ROWS = (asyncpg.DataError, asyncpg.IntegrityConstraintViolationError, asyncpg.ProgramLimitExceededError)


class Options(msgspec.Struct, frozen=True, kw_only=True):
    box: SecretBox | None
    """None where the archive has no secrets, or in a dry run."""
    remap: bool = False
    is_dry_run: bool = False
    on_collision: OnCollision = lambda _what: None
    on_progress: OnProgress = lambda _step, _count: None


class Import(msgspec.Struct):
    owner: Transaction
    resources: Resources
    archive: ArchiveReader
    options: Options
    schema: Schema
    files: dict[str, File]
    staging: Staging

    async def stage(self) -> None:
        """Load all files except media into the staging tables, and verify them."""
        await _lock(self.owner)
        staged = [file for file in self.files.values() if file.table != tables.MEDIA_CHUNKS]
        await self.staging.prepare(file.table for file in staged)
        for file in staged:
            await self._stage_file(file)

    async def _stage_file(self, file: File) -> None:
        done, is_complete = await self.staging.progress_of(file.table)
        if is_complete:
            self.options.on_progress("read", file.bytes)
            return
        blocks = enumerate(self.archive.blocks(file))
        while (found := await asyncio.to_thread(next, blocks, None)) is not None:
            number, block = found
            if number >= done:
                _check_lines(file, block)
                with naming(file.table):
                    await self.staging.add_block(file.table, block)
            self.options.on_progress("read", len(block))
        await self.staging.complete(file.table)

    async def assign_refs(self) -> Refs:
        options = self.options
        refs = Refs(
            self.owner,
            self.staging,
            self.schema,
            self.files,
            options.on_collision,
            options.remap,
            options.is_dry_run,
        )
        with naming("The archive"):
            await refs.assign(self.archive.manifest.brand_ref)
        return refs

    async def write_media(self, brand_ref: int) -> None:
        """Write objects to the media store, which deletes them after some days unless the import is completed."""
        file = self.files.get(tables.MEDIA_CHUNKS)
        if file is None:
            return
        reader = media.MediaReader(self.archive, file, lambda size: self.options.on_progress("media", size))
        async for key, chunks in reader.objects():
            if self.options.is_dry_run:
                continue
            site_ref = await self.staging.new_ref("sites", media.site_of(key))
            new = media.renamed(key, brand_ref, site_ref)
            if not await self.staging.has_medium(brand_ref, new):
                await media_storage.put_imported(self.resources, brand_ref, site_ref, new, chunks)
                await self.staging.add_medium(new)

    async def reencrypt_secrets(self, brand_ref: int, sealed: Sequence[SealedColumn]) -> None:
        if self.options.box is None:
            return
        former = self.archive.manifest.brand_ref
        secrets = Secrets(self.staging, self.resources.sealer, self.options.box, former, brand_ref)
        for name in self.files:
            columns = [column for column in sealed if column.table == name]
            if columns:
                await secrets.reencrypt(name, columns)

    async def complete(self, brand_ref: int, caller: Caller) -> None:
        """Insert all rows in one transaction: the brand is there completely, or not at all."""
        async with self.owner.transaction():
            await self.owner.execute("set local synchronous_commit = on")
            await set_brand(self.owner, brand_ref)
            await self._insert_tables(brand_ref)
            for name in tables.REQUESTED_REBUILDS:
                await store.insert_brand(self.owner, name, brand_ref)
            if await media_storage.keep_imported(self.owner) != await self.staging.count_media():
                raise TransferError("Media that were written some days ago are gone. Run the command again.")
            await self._advance_sequences(brand_ref)
            await store.begin_anew(self.owner, brand_ref, clock.now() + TIME_TO_POINT_HOSTS)
            manifest = self.archive.manifest
            await audit.record(
                self.owner,
                actor=caller.name,
                action="import",
                subject="brand",
                ref=brand_ref,
                brand_ref=brand_ref,
                exportedRef=manifest.brand_ref,
                rows=manifest.rows,
            )
            await self.staging.drop()

    async def _insert_tables(self, brand_ref: int) -> None:
        mapped = await self.staging.mapped()
        for name in tables.SHARED:
            columns = [column.name for column in self.schema.tables[name].columns]
            with naming(name):
                await self.staging.add_missing_shared(name, columns)
        for table in self.schema.exported:
            if table.name in tables.COUNTED_BY_TRIGGERS:
                await store.delete_rows(self.owner, table.name, brand_ref)
            if table.name in self.files and table.name != tables.MEDIA_CHUNKS:
                with naming(table.name):
                    async for count in self.staging.insert_rows(
                        table, self.files[table.name].columns, brand_ref, mapped
                    ):
                        self.options.on_progress("insert", count)
            if table.name == "templates":
                await self.staging.add_missing_templates(table, brand_ref)
        for name, late in tables.INSERTED_LAST.items():
            columns = [column for column in late if column in self.files[name].columns]
            with naming(name):
                await self.staging.set_late_columns(self.schema.tables[name], columns, brand_ref, mapped)

    async def _advance_sequences(self, brand_ref: int) -> None:
        """The next refs must be greater than the imported ones."""
        for table in self.schema.exported:
            if table.identity is not None and table.identity != "brand_ref" and table.name in self.files:
                highest = await store.highest_ref(self.owner, table, brand_ref)
                check_refs(table.name, 1, highest)
                await sequences.advance(self.owner, table.name, table.identity, max(highest, 1))
        await sequences.advance(self.owner, "brands", "brand_ref", brand_ref)


async def open_import(resources: Resources, owner: Transaction, archive: ArchiveReader, options: Options) -> Import:
    schema = await read_schema(owner)
    files = check_manifest(archive.manifest, schema)
    if archive.manifest.secrets is not None and options.box is None and not options.is_dry_run:
        raise TransferError(
            f"The secrets in this archive are encrypted for {archive.manifest.secrets.recipient}. Name the file with"
            " its private key: --key FILE"
        )
    staging = Staging(owner, archive.digest, is_dry_run=options.is_dry_run)
    return Import(owner, resources, archive, options, schema, files, staging)


async def check_import(opened: Import, sealed: Sequence[SealedColumn]) -> Refs:
    """A dry run: verify the archive and its secrets, and find all collisions. The staging tables are removed again."""
    await _lock(opened.owner)
    try:
        await opened.stage()
        refs = await opened.assign_refs()
        await opened.write_media(refs.brand_ref)
        if not refs.collisions:
            await opened.reencrypt_secrets(refs.brand_ref, sealed)
        return refs
    finally:
        await opened.staging.drop()


async def import_brand(
    opened: Import, sealed: Sequence[SealedColumn], caller: Caller, refs_file: Path | None = None
) -> int:
    """Import the brand and return its ref. `refs_file`: a CSV file of the refs that change."""
    try:
        await opened.stage()
        refs = await opened.assign_refs()
        _check_collisions(refs)
        if refs_file is not None:
            await write_refs(opened.staging, refs_file)
        await opened.write_media(refs.brand_ref)
        await opened.reencrypt_secrets(refs.brand_ref, sealed)
        await opened.complete(refs.brand_ref, caller)
    except (ArchiveDamaged, CollisionsFound):
        await opened.staging.drop()
        raise
    return refs.brand_ref


def _check_collisions(refs: Refs) -> None:
    if refs.collisions:
        raise CollisionsFound(f"{refs.collisions} things in this archive collide. Nothing was imported.")


async def write_refs(staging: Staging, file: Path) -> None:
    with replacing(file) as draft:
        draft.write(b"table,old,new\n")
        async for table, old, new in staging.read_refs():
            draft.write(f"{table},{old},{new}\n".encode())


@contextmanager
def naming(what: str) -> Iterator[None]:
    """Report rows that the database refuses."""
    try:
        yield
    except INVALID_ROWS as error:
        raise ArchiveDamaged(f"{what} cannot be imported: {error}") from None


def _check_lines(file: File, block: bytes) -> None:
    """Each line is an object, and contains no character that COPY would take for a quote."""
    lines = block.count(b"\n")
    is_valid = block.startswith(b"{") and block.count(b"\n{") == lines - 1
    if not is_valid or QUOTE.encode() in block or DELIMITER.encode() in block:
        raise ArchiveDamaged(f"{file.name} has a line that is not a JSON object.")


async def discard(owner: Transaction, archive: ArchiveReader) -> None:
    """Remove the staging tables of an interrupted import or dry run; the worker deletes its media some days later."""
    await _lock(owner)
    for is_dry_run in (False, True):
        await Staging(owner, archive.digest, is_dry_run=is_dry_run).drop()


async def _lock(owner: Transaction) -> None:
    """One import at a time uses staging tables, until its connection ends."""
    if not await try_lock(owner, Lock.BRAND_IMPORT):
        raise TransferError("Another import is under way. Wait until it has ended.")
