"""Writes a brand to an archive, from one snapshot, while the service runs."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, BinaryIO

import msgspec

from sitewright import __version__
from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.kit.resources import Resources
from sitewright.kit.sealed_columns import SealedColumn
from sitewright.sites.media.storage import service as media_storage
from sitewright.transfer import recipients, tables
from sitewright.transfer.archive import BLOCK_BYTES, FORMAT, VERSION, ArchiveWriter, FileWriter, Manifest
from sitewright.transfer.errors import TransferError
from sitewright.transfer.exports import parts, store
from sitewright.transfer.recipients import SecretBox
from sitewright.transfer.schema import Schema, Table
from sitewright.transfer.store import connect, read_schema, set_brand

OnProgress = Callable[[str, int, int], None]
"""Called with the table, the rows written of it, and how many it has."""
HEX_AT_ONCE = 256 * 1024


class Lines:
    """Collects lines and writes them in large blocks in a thread, so that compression runs beside the database."""

    def __init__(self, file: FileWriter, on_progress: Callable[[int], None]) -> None:
        self._file = file
        self._held = bytearray()
        self._writing: asyncio.Future[None] | None = None
        self._on_progress = on_progress

    async def add(self, lines: bytes | bytearray) -> None:
        self._held += lines
        if len(self._held) >= BLOCK_BYTES:
            await self.flush()

    async def flush(self, *, is_end: bool = False) -> None:
        if self._writing is not None:
            await self._writing
            self._on_progress(self._file.rows)
        block, self._held = self._held, bytearray()
        self._writing = asyncio.ensure_future(asyncio.to_thread(self._file.write, block))
        if is_end:
            await self._writing
            self._on_progress(self._file.rows)


class Export(msgspec.Struct):
    """`box` is None for an archive without secrets."""

    tx: Transaction
    readers: Sequence[Transaction]
    """Connections that see the same as `tx`."""
    resources: Resources
    brand_ref: int
    sealed: Sequence[SealedColumn]
    box: SecretBox | None
    archive: ArchiveWriter
    on_progress: OnProgress

    async def write_tables(self, schema: Schema) -> None:
        exported = schema.exported
        for table in exported:
            if self.box is None and table.name in tables.LEFT_OUT_WITHOUT_SECRETS:
                continue
            total = await store.count_rows(self.tx, table, self.brand_ref)
            queries = await self._queries_of(table, total)
            await self._write(table.name, store.exported_columns(table), queries, total)
        shared = {name: store.query_of_shared(schema, exported, name, self.brand_ref) for name in tables.SHARED}
        shared[tables.SHARED_TEMPLATES] = store.query_of_shared_templates(exported, self.brand_ref)
        shared[tables.FOREIGN_PACKAGES] = store.query_of_foreign_packages(exported, self.brand_ref)
        for name, query in shared.items():
            await self._write(name, [], [query], 0)

    async def _queries_of(self, table: Table, rows: int) -> list[str]:
        """One for each part of a large table."""
        is_large = rows > parts.ROWS and len(self.readers) > 1
        conditions = await store.split(self.tx, table, self.brand_ref, parts.ROWS) if is_large else [""]
        return [store.query_of(table, self.brand_ref, self._replaced, each) for each in conditions]

    @property
    def _replaced(self) -> store.Replaced:
        return tables.REPLACED | (tables.REPLACED_WITHOUT_SECRETS if self.box is None else {})

    async def _write(self, name: str, columns: list[str], queries: Sequence[str], total: int) -> None:
        sealed = [column for column in self.sealed if column.table == name]
        with self.archive.file(name, columns) as file:
            lines = Lines(file, lambda rows: self.on_progress(name, rows, total))
            if sealed and self.box is not None:
                for query in queries:
                    async for line in store.read_lines(self.tx, query):
                        await lines.add(self._reencrypted(line, sealed, self.box))
            else:
                await parts.copy_parts(self.readers, queries, lines.add)
            if name == tables.MEDIA_CHUNKS:
                async for key in store.list_remote_objects(self.tx, self.brand_ref):
                    async for each in self._remote_object(key):
                        await lines.add(each)
            await lines.flush(is_end=True)

    def _reencrypted(self, line: str, sealed: Sequence[SealedColumn], box: SecretBox) -> bytes:
        row: dict[str, Any] = msgspec.json.decode(line)
        for column in sealed:
            if (value := row[column.column]) is not None:
                context = column.context.format(**{"brand_ref": self.brand_ref} | row)
                is_needed = column.unneeded_since is None or row[column.unneeded_since] is None
                sealed_value = bytes.fromhex(value.removeprefix("\\x"))
                secret = self.resources.sealer.unseal(sealed_value, context) if is_needed else b""
                row[column.column] = {"sealed": box.encrypt(secret, f"{column}/{context}")}
        return msgspec.json.encode(row) + b"\n"

    async def _remote_object(self, key: str) -> AsyncIterator[bytes]:
        """An object of another media store, in the form of rows of PostgreSQL's."""
        number = 0
        try:
            async for chunk in media_storage.read(self.resources, self.brand_ref, key):
                for at in range(0, len(chunk), HEX_AT_ONCE):
                    body = "\\x" + chunk[at : at + HEX_AT_ONCE].hex()
                    yield msgspec.json.encode({"object_key": key, "number": number, "body": body}) + b"\n"
                    number += 1
        except media_storage.ObjectMissing:
            raise TransferError(f"The media object {key} was deleted meanwhile. Run the export again.") from None
        if number == 0:
            yield msgspec.json.encode({"object_key": key, "number": 0, "body": "\\x"}) + b"\n"


async def export_brand(
    resources: Resources,
    owner_url: str,
    sealed: Sequence[SealedColumn],
    brand_ref: int,
    opened: BinaryIO,
    recipient: str | None,
    on_progress: OnProgress = lambda _table, _rows, _total: None,
) -> Manifest:
    """Write a brand to an open file. Without a recipient, secrets are left out."""
    box, envelope = (None, None) if recipient is None else recipients.box_for(recipient)
    owner = await connect(owner_url, "sitewright brands export")
    try:
        async with owner.transaction(isolation="repeatable_read", readonly=True):
            schema = await read_schema(owner)
            await set_brand(owner, brand_ref)
            name = await store.find_brand_name(owner, schema.tables["brands"], brand_ref)
            if name is None:
                raise TransferError(f"There is no brand {brand_ref}.")
            archive = ArchiveWriter(opened)
            async with parts.open_readers(owner_url, owner, brand_ref) as readers:
                export = Export(owner, readers, resources, brand_ref, sealed, box, archive, on_progress)
                await export.write_tables(schema)
    finally:
        await owner.close()
    manifest = Manifest(
        format=FORMAT,
        version=VERSION,
        release=__version__,
        created_at=clock.now().isoformat(),
        brand_ref=brand_ref,
        brand_name=name,
        secrets=envelope,
        files=archive.files,
    )
    archive.close(manifest)
    return manifest
