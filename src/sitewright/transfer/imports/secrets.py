"""Re-encrypts the secrets of an archive with this installation's master key, in the staging tables."""

from collections.abc import Sequence

import msgspec

from sitewright.kit.sealed_columns import SealedColumn
from sitewright.kit.sealing import Sealer
from sitewright.transfer.errors import ArchiveDamaged
from sitewright.transfer.imports.store import Staging
from sitewright.transfer.recipients import SecretBox
from sitewright.transfer.schema import target_of

AT_ONCE = 200
Row = dict[str, msgspec.Raw]


class Encrypted(msgspec.Struct, frozen=True):
    sealed: str


class Secrets(msgspec.Struct):
    staging: Staging
    sealer: Sealer
    box: SecretBox
    former_brand_ref: int
    brand_ref: int

    async def reencrypt(self, table: str, columns: Sequence[SealedColumn]) -> None:
        """All secrets of a table, in one transaction: it is repeated as a whole after an interruption."""
        if await self.staging.is_sealed(table):
            return
        async with self.staging.owner.transaction():
            done: list[tuple[tuple[int, int], str]] = []
            async for place, line in self.staging.rows(table):
                row = msgspec.json.decode(line, type=Row)
                for column in columns:
                    await self._reencrypt_value(row, column)
                done.append((place, msgspec.json.encode(row).decode()))
                if len(done) >= AT_ONCE:
                    await self.staging.replace_rows(table, done)
                    done = []
            await self.staging.replace_rows(table, done)
            await self.staging.mark_sealed(table)

    async def _reencrypt_value(self, row: Row, column: SealedColumn) -> None:
        try:
            encrypted = msgspec.json.decode(row.get(column.column, b"null"), type=Encrypted | None)
            values = {name: _plain(row[name]) for name in column.context_columns if name != "brand_ref"}
        except (msgspec.DecodeError, KeyError):
            raise ArchiveDamaged(f"{column} has a value that is not encrypted for a recipient.") from None
        if encrypted is None:
            return
        former = column.context.format(**values, brand_ref=self.former_brand_ref)
        secret = self.box.decrypt(encrypted.sealed, f"{column}/{former}")
        for name, value in values.items():
            target = column.table if name == "ref" else target_of(column.table, name)
            if target is not None and isinstance(value, int):
                values[name] = await self.staging.new_ref(target, value)
        context = column.context.format(**values, brand_ref=self.brand_ref)
        sealed = self.sealer.seal(secret, context)
        row[column.column] = msgspec.Raw(msgspec.json.encode("\\x" + sealed.hex()))


def _plain(raw: msgspec.Raw) -> str | int:
    return msgspec.json.decode(raw, type=str | int)
