"""SQL of signing keys, which belong to the service, not to a brand."""

from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.sealed_columns import SealedColumn

SEALED_COLUMNS = [
    SealedColumn(
        "signing_keys",
        "sealed_key",
        "signing key/{purpose}",
        if_lost="a new key signs receipts; those of before are verified with the public key shown below",
        renewal="delete from signing_keys where {lost} returning public_key",
    )
]


class StoredKey(msgspec.Struct, frozen=True):
    public_key: str
    sealed_key: bytes


async def find(connection: Transaction, purpose: str) -> StoredKey | None:
    row = await connection.fetchrow("select public_key, sealed_key from signing_keys where purpose = $1", purpose)
    return None if row is None else StoredKey(*row)


async def insert(connection: Transaction, purpose: str, public_key: str, sealed_key: bytes, at: datetime) -> None:
    """Of several processes that begin at the same time, the first one's key counts."""
    await connection.execute(
        "insert into signing_keys (purpose, public_key, sealed_key, created_at) values ($1, $2, $3, $4)"
        " on conflict do nothing",
        purpose,
        public_key,
        sealed_key,
        at,
    )
