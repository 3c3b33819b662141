"""The audit log as staff sees it: by person, object, time and request."""

from datetime import datetime

import msgspec

from sitewright.kit.audit.listing import store
from sitewright.kit.audit.listing.store import Entry
from sitewright.kit.db import Transaction
from sitewright.kit.keyset import Page, PageRequest
from sitewright.kit.problems import NotFound


class AuditEntryNotFound(NotFound):
    code = "auditEntryNotFound"
    title = "No such entry"
    detail = "The audit log has no entry with this number."


class AuditFilter(msgspec.Struct, frozen=True, kw_only=True):
    """All of what is set applies. `until` is exclusive."""

    actor: str | None = None
    subject: str | None = None
    ref: int | None = None
    request_id: str | None = None
    since: datetime | None = None
    until: datetime | None = None


async def list_entries(tx: Transaction, brand_ref: int | None, wanted: AuditFilter, page: PageRequest) -> Page[Entry]:
    """Those of the transaction's brand, or without a brand those of the environment."""
    wanted_fields = {
        "actor =": wanted.actor,
        "subject =": wanted.subject,
        "subject_ref =": wanted.ref,
        "request_id =": wanted.request_id,
        "at >=": wanted.since,
        "at <": wanted.until,
    }
    return await store.list_entries(tx, wanted_fields, page, has_brand=brand_ref is not None)


async def find_entry(tx: Transaction, ref: int) -> Entry:
    """One of the transaction's brand, or without a brand one of the environment."""
    found = await store.find_entry(tx, ref)
    if found is None:
        raise AuditEntryNotFound
    return found
