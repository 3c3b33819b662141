"""SQL of the certificates of the service's own host names, which belong to no brand."""

from collections.abc import Sequence
from datetime import datetime

from sitewright.kit.db import Transaction


async def save(
    tx: Transaction, name: str, names: Sequence[str], chain: str, sealed_key: bytes, validity: tuple[datetime, datetime]
) -> None:
    """It replaces the former one of the same name; every edge server is notified."""
    await tx.execute(
        "insert into own_certificates as o (name, names, chain, sealed_key, not_before, not_after)"
        " values ($1, $2, $3, $4, $5, $6) on conflict (name) do update set names = excluded.names,"
        " chain = excluded.chain, sealed_key = excluded.sealed_key,"
        " not_before = excluded.not_before, not_after = excluded.not_after,"
        " ref = nextval(pg_get_serial_sequence('own_certificates', 'ref'))",
        name,
        names,
        chain,
        sealed_key,
        *validity,
    )


async def delete_others(tx: Transaction, name: str) -> None:
    """Of host names that the settings no longer name."""
    await tx.execute("delete from own_certificates where name <> $1", name)
