from collections.abc import Sequence
from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.sealed_columns import SealedColumn

SEALED_COLUMNS = [
    SealedColumn(
        "api_credentials",
        f"{part}_secret",
        f"api_credentials/{{consumer_key}}/{part}",
        if_lost="run sitewright credentials create for each caller, and revoke the former ones",
        unneeded_since="revoked_at",  # never set back
    )
    for part in ("consumer", "access")
]


class ListedCredential(msgspec.Struct, frozen=True):
    """An API credential or an operator, without its secrets."""

    kind: str
    ref: int
    brand_ref: int | None
    role: str
    name: str
    created_at: datetime
    revoked_at: datetime | None


class ActiveOperator(msgspec.Struct, frozen=True):
    ref: int
    password_hash: str


async def insert_api_credential(
    tx: Transaction,
    *,
    brand_ref: int,
    role: str,
    reseller_ref: int | None,
    label: str,
    consumer_key: str,
    consumer_secret: bytes,
    access_token: str,
    access_secret: bytes,
    created_at: datetime,
) -> int:
    ref: int = await tx.fetchval(
        "insert into api_credentials (brand_ref, role, reseller_ref, label, consumer_key, consumer_secret,"
        " access_token, access_secret, created_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning ref",
        brand_ref,
        role,
        reseller_ref,
        label,
        consumer_key,
        consumer_secret,
        access_token,
        access_secret,
        created_at,
    )
    return ref


async def find_api_credential(tx: Transaction, consumer_key: str) -> int | None:
    """Return the ref of the brand's active credential with this key."""
    ref: int | None = await tx.fetchval(
        "select ref from api_credentials where consumer_key = $1 and revoked_at is null", consumer_key
    )
    return ref


async def revoke_api_credential(tx: Transaction, ref: int, at: datetime) -> bool:
    outcome = await tx.execute(
        "update api_credentials set revoked_at = $2 where ref = $1 and revoked_at is null", ref, at
    )
    return outcome == "UPDATE 1"


async def revoke_of_reseller(tx: Transaction, reseller_ref: int, at: datetime) -> list[int]:
    """Revoke them and return the refs of those that were active."""
    rows = await tx.fetch(
        "update api_credentials set revoked_at = $2"
        " where brand_ref = current_brand() and reseller_ref = $1 and revoked_at is null returning ref",
        reseller_ref,
        at,
    )
    return sorted(row["ref"] for row in rows)


async def insert_operator(
    tx: Transaction,
    *,
    brand_ref: int | None,
    role: str,
    username: str,
    password_hash: str,
    created_at: datetime,
    name: str | None,
    email: str | None,
) -> int | None:
    """Insert an operator and return its ref; None when the user name is taken."""
    ref: int | None = await tx.fetchval(
        "insert into operators (brand_ref, role, username, password_hash, created_at, name, email)"
        " values ($1, $2, $3, $4, $5, $6, $7)"
        " on conflict (username) where revoked_at is null do nothing returning ref",
        brand_ref,
        role,
        username,
        password_hash,
        created_at,
        name,
        email,
    )
    return ref


async def find_operator(tx: Transaction, username: str) -> ActiveOperator | None:
    row = await tx.fetchrow(
        "select ref, password_hash from operators where username = $1 and revoked_at is null", username
    )
    return ActiveOperator(*row) if row else None


async def change_password(tx: Transaction, ref: int, password_hash: str) -> None:
    await tx.execute("update operators set password_hash = $2 where ref = $1", ref, password_hash)


async def revoke_operator(tx: Transaction, ref: int, at: datetime) -> bool:
    outcome = await tx.execute(
        "update operators set revoked_at = $2, second_factor = null, second_factor_at = null, recovery_codes = '{}'"
        " where ref = $1 and revoked_at is null",
        ref,
        at,
    )
    return outcome == "UPDATE 1"


async def list_credentials(tx: Transaction) -> list[ListedCredential]:
    """List every credential and operator of the environment, oldest first."""
    rows = await tx.fetch("select * from all_credentials() order by created_at, kind, ref")
    return [ListedCredential(*row) for row in rows]


async def find_listed(tx: Transaction, kind: str, ref: int, brand_ref: int | None) -> list[ListedCredential]:
    """Of all brands, or of one. The refs of API credentials may repeat in imported brands."""
    rows = await tx.fetch(
        "select * from all_credentials() where kind = $1 and ref = $2 and ($3::bigint is null or brand_ref = $3)"
        " order by brand_ref",
        kind,
        ref,
        brand_ref,
    )
    return [ListedCredential(*row) for row in rows]


async def newest_secrets(connection: Transaction, limit: int) -> list[tuple[str, bytes]]:
    """The newest active consumer keys of all brands, with their sealed secrets."""
    rows = await connection.fetch("select consumer_key, consumer_secret from newest_api_secrets($1)", limit)
    return [(row["consumer_key"], row["consumer_secret"]) for row in rows]


async def labels_of(tx: Transaction, refs: Sequence[int]) -> dict[int, str]:
    rows = await tx.fetch(
        "select ref, label from api_credentials where brand_ref = current_brand() and ref = any($1)", refs
    )
    return {row["ref"]: row["label"] for row in rows}
