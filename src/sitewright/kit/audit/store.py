from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from sitewright.kit.db import Transaction

_COLUMNS = "at, actor, action, subject, subject_ref, brand_ref, request_id"
_NEWEST_OF_BRAND = f"""
    select {_COLUMNS} from audit_entries where brand_ref = current_brand() order by at desc, ref desc limit $1
"""  # noqa: S608 - fixed parts
_NEWEST_OF_ENVIRONMENT = f"""
    select {_COLUMNS} from audit_entries where brand_ref is null order by at desc, ref desc limit $1
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
    tx: Transaction,
    at: datetime,
    actor: str,
    action: str,
    subject: str,
    refs: Sequence[int],
    request_id: str | None,
    details: dict[str, Any],
) -> None:
    await tx.execute(
        "insert into audit_entries (at, actor, action, subject, subject_ref, brand_ref, request_id, details)"
        " select $1, $2, $3, $4, ref, current_brand(), $6, $7 from unnest($5::bigint[]) ref",
        at,
        actor,
        action,
        subject,
        refs,
        request_id,
        msgspec.json.encode(details).decode(),
    )


async def list_entries(tx: Transaction, brand_ref: int | None, limit: int) -> list[AuditEntry]:
    """The newest entries of the transaction's brand, newest first.

    The brand is named, although row-level security shows no other: its policy, which must match null too, cannot use an
    index.
    """
    of_brand = _NEWEST_OF_ENVIRONMENT if brand_ref is None else _NEWEST_OF_BRAND
    rows = await tx.fetch(of_brand, limit)
    return [AuditEntry(*row) for row in rows]


async def list_entries_of_subject(tx: Transaction, subject: str, ref: int, limit: int) -> list[AuditEntry]:
    """What was done to one object of the transaction's brand, newest first."""
    rows = await tx.fetch(
        f"select {_COLUMNS} from audit_entries where brand_ref = current_brand() and subject = $1"  # noqa: S608
        " and subject_ref = $2 order by at desc, ref desc limit $3",
        subject,
        ref,
        limit,
    )
    return [AuditEntry(*row) for row in rows]


async def prune(tx: Transaction, older_than: datetime, most: int) -> int:
    """Delete entries of all brands, never of the last 30 days; returns how many."""
    removed: int = await tx.fetchval("select prune_audit_entries($1, $2)", older_than, most)
    if removed:
        await tx.execute("select prune_audit_chain()")
    return removed
