from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from sitewright.kit.db import Transaction

_COLUMNS = "at, actor, action, subject, subject_ref, brand_ref, request_id"
_NEWEST_OF_BRAND = f"""
    select {_COLUMNS} from audit_entries where brand_ref = current_brand() order by ref desc limit $1
"""  # noqa: S608 - fixed parts
_NEWEST_OF_ENVIRONMENT = f"""
    select {_COLUMNS} from audit_entries where brand_ref is null order by ref desc limit $1
"""  # noqa: S608


class AuditEntry(msgspec.Struct, frozen=True):
    at: datetime
    actor: str
    action: str
    subject: str
    ref: int | None
    brand_ref: int | None
    request_id: str | None


async def insert_entry(
    tx: Transaction,
    at: datetime,
    actor: str,
    action: str,
    subject: str,
    ref: int | None,
    brand_ref: int | None,
    request_id: str | None,
    details: dict[str, Any],
) -> None:
    await tx.execute(
        "insert into audit_entries (at, actor, action, subject, subject_ref, brand_ref, request_id, details)"
        " values ($1, $2, $3, $4, $5, $6, $7, $8)",
        at,
        actor,
        action,
        subject,
        ref,
        brand_ref,
        request_id,
        msgspec.json.encode(details).decode(),
    )


async def insert_brand_entry(
    tx: Transaction,
    at: datetime,
    actor: str,
    action: str,
    subject: str,
    ref: int,
    request_id: str | None,
    details: dict[str, Any],
) -> None:
    """An entry of the transaction's brand."""
    await tx.execute(
        "insert into audit_entries (at, actor, action, subject, subject_ref, brand_ref, request_id, details)"
        " values ($1, $2, $3, $4, $5, current_brand(), $6, $7)",
        at,
        actor,
        action,
        subject,
        ref,
        request_id,
        msgspec.json.encode(details).decode(),
    )


async def insert_brand_entries(
    tx: Transaction, at: datetime, actor: str, action: str, subject: str, refs: Sequence[int]
) -> None:
    await tx.execute(
        "insert into audit_entries (at, actor, action, subject, subject_ref, brand_ref, details)"
        " select $1, $2, $3, $4, ref, current_brand(), '{}' from unnest($5::bigint[]) ref",
        at,
        actor,
        action,
        subject,
        refs,
    )


async def list_entries(tx: Transaction, brand_ref: int | None, limit: int) -> list[AuditEntry]:
    """The newest entries of the transaction's brand, newest first.

    The brand is named, although row-level security shows no other: its policy, which must match null too, cannot use an
    index.
    """
    of_brand = _NEWEST_OF_ENVIRONMENT if brand_ref is None else _NEWEST_OF_BRAND
    rows = await tx.fetch(of_brand, limit)
    return [AuditEntry(*row) for row in rows]


async def prune(tx: Transaction, older_than: datetime, most: int) -> int:
    """Delete entries of all brands, never of the last 30 days; returns how many."""
    removed: int = await tx.fetchval("select prune_audit_entries($1, $2)", older_than, most)
    return removed
