from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction


class ListedZone(msgspec.Struct, frozen=True):
    brand_ref: int
    ref: int
    name: str
    provider: str | None
    synced_at: datetime | None
    out_of_sync_since: datetime | None
    waits_since: datetime | None
    removed_at: datetime | None
    error: str | None


class SealedKey(msgspec.Struct, frozen=True):
    ref: int
    domain: str
    selector: str | None
    sealed: bytes | None


async def list_zones(
    connection: Transaction, name: str | None, *, attention_only: bool, limit: int
) -> list[ListedZone]:
    """Across brands, by name."""
    rows = await connection.fetch("select * from all_dns_zones($1, $2, $3)", name, attention_only, limit)
    return [ListedZone(*row) for row in rows]


async def list_dkim_keys(tx: Transaction) -> list[SealedKey]:
    rows = await tx.fetch(
        "select account_domain_ref, name, dkim_selector, sealed_dkim_key from dns_zones"
        " where brand_ref = current_brand() and removed_at is null order by name"
    )
    return [SealedKey(*row) for row in rows]
