"""The audit log: who did what to which ref, when and in which request; written in the same transaction."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sitewright.kit import clock
from sitewright.kit.audit import store
from sitewright.kit.audit.store import AuditEntry
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction


async def record(
    tx: Transaction,
    *,
    actor: str,
    action: str,
    subject: str,
    ref: int | None,
    brand_ref: int | None,
    request_id: str | None = None,
    **details: Any,
) -> None:
    """`details` contains refs and simple values, never a secret or personal data."""
    await store.insert_entry(tx, clock.now(), actor, action, subject, ref, brand_ref, request_id, details)


async def record_by(tx: Transaction, caller: Caller, action: str, subject: str, ref: int, **details: Any) -> None:
    """`caller` did `action` to a `subject` of the transaction's brand; an operator perhaps as an account holder."""
    if caller.as_user_ref is not None:
        details["asUserRef"] = caller.as_user_ref
    await store.insert_brand_entry(tx, clock.now(), caller.name, action, subject, ref, caller.request_id, details)


async def record_of(
    tx: Transaction, caller: Caller, action: str, subject: str, ref: int | None, brand_ref: int | None, **details: Any
) -> None:
    """As `record_by`, for a subject of another brand than the transaction's, or of none."""
    await record(
        tx,
        actor=caller.name,
        action=action,
        subject=subject,
        ref=ref,
        brand_ref=brand_ref,
        request_id=caller.request_id,
        **details,
    )


async def record_each(
    tx: Transaction,
    actor: str,
    action: str,
    subject: str,
    refs: Sequence[int],
    request_id: str | None = None,
    **details: Any,
) -> None:
    """One entry for each of many subjects of the transaction's brand."""
    await store.insert_brand_entries(tx, clock.now(), actor, action, subject, refs, request_id, details)


async def record_each_by(
    tx: Transaction, caller: Caller, action: str, subject: str, refs: Sequence[int], **details: Any
) -> None:
    """As `record_by`, for each of many subjects."""
    if caller.as_user_ref is not None:
        details["asUserRef"] = caller.as_user_ref
    await record_each(tx, caller.name, action, subject, refs, caller.request_id, **details)


async def newest_of_subject(tx: Transaction, subject: str, ref: int, most: int) -> list[AuditEntry]:
    """What was done to one object of the transaction's brand, newest first."""
    return await store.list_entries_of_subject(tx, subject, ref, most)


async def prune(tx: Transaction, older_than: datetime, most: int) -> int:
    """Delete at most `most` older entries; returns how many. The deletion is recorded as an entry."""
    removed = await store.prune(tx, older_than, most)
    if removed:
        await record(
            tx,
            actor="worker",
            action="prune",
            subject="audit",
            ref=None,
            brand_ref=None,
            entries=removed,
            olderThan=older_than,
        )
    return removed
