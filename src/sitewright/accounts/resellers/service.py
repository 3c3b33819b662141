"""The rules of resellers and all changes to them."""

from collections.abc import Sequence
from typing import Any

import asyncpg
import msgspec
from msgspec import UNSET

from sitewright.accounts.resellers import reseller_events, store
from sitewright.accounts.resellers.checks import URLS, check_reseller_fields
from sitewright.accounts.resellers.errors import AccountCreateLimitReached, ResellerNotFound
from sitewright.accounts.resellers.requests import NewReseller, ResellerChanges
from sitewright.accounts.resellers.reseller_events import RESELLER_CREATED, RESELLER_DELETED
from sitewright.accounts.resellers.schemas import CreatedReseller, ResellerCredentials, ResellerDetails
from sitewright.accounts.resellers.store import ResellerBranding
from sitewright.accounts.search import service as search
from sitewright.accounts.search.hooks import TermsOfResellers
from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller, Role
from sitewright.kit.db import Transaction
from sitewright.kit.paging import Page, Window, cut
from sitewright.kit.problems import FieldErrors
from sitewright.kit.row_changes import fields_of
from sitewright.kit.sealing import Sealer
from sitewright.kit.timestamps import timestamp
from sitewright.tenants.brands.schemas import BrandSettings
from sitewright.tenants.credentials import service as credentials

__all__ = [
    "URLS",
    "NewReseller",
    "ResellerBranding",
    "ResellerChanges",
    "check_reseller",
    "check_reseller_fields",
    "collect_terms",
    "create_reseller",
    "default_currency",
    "delete_reseller",
    "edit_reseller",
    "enforce_user_limit",
    "find_branding",
    "get_reseller",
    "list_resellers",
    "lock_reseller",
    "require_reseller",
    "with_branding",
]
_COPIED_FIELDS = frozenset(ResellerDetails.__struct_fields__) - {"created", "updated"}


async def check_reseller(tx: Transaction, caller: Caller, reseller_ref: int | None) -> FieldErrors:
    """Checks `resellerRef` of a body or query: a reseller may send only its own, others any of the brand."""
    if reseller_ref is None or reseller_ref == caller.reseller_ref:
        return {}
    if caller.reseller_ref is None and await store.reseller_exists(tx, reseller_ref):
        return {}
    return {"resellerRef": {"invalidResellerRef": "is not a reseller of your brand"}}


async def require_reseller(tx: Transaction, reseller_ref: int) -> None:
    if not await store.reseller_exists(tx, reseller_ref):
        raise ResellerNotFound


async def lock_reseller(tx: Transaction, reseller_ref: int) -> None:
    """Lock its row, so that changes of it and of its prices are serialized."""
    if not await store.lock_reseller(tx, reseller_ref):
        raise ResellerNotFound


async def list_resellers(tx: Transaction, window: Window) -> tuple[list[ResellerDetails], Page]:
    rows = await store.list_resellers(tx, window)
    page = cut(window, [row["ref"] for row in rows])
    shown = set(page.refs)
    return [_present(row) for row in rows if row["ref"] in shown], page


async def list_names(tx: Transaction, most: int, also_ref: int | None = None) -> list[tuple[int, str]]:
    """Refs and names of at most so many resellers, by name, for a choice; `also_ref` is among them."""
    return await store.list_names(tx, most, also_ref)


async def get_reseller(tx: Transaction, reseller_ref: int) -> ResellerDetails:
    row = await store.find_reseller(tx, reseller_ref)
    if row is None:
        raise ResellerNotFound
    return _present(row)


async def create_reseller(
    tx: Transaction, sealer: Sealer, caller: Caller, brand: BrandSettings, new: NewReseller
) -> CreatedReseller:
    now = clock.now()
    ref = await store.insert_reseller(tx, _columns(new) | {"created_at": now})
    await _update_terms(tx, ref)
    strings = await credentials.create_api_credential(
        tx,
        sealer,
        caller,
        brand_ref=brand.brand_ref,
        label=f"reseller {ref}",
        role=Role.RESELLER,
        reseller_ref=ref,
    )
    await audit.record_by(tx, caller, "create", "reseller", ref)
    await reseller_events.emit(tx, RESELLER_CREATED, ref, now)
    returned = ResellerCredentials(**msgspec.structs.asdict(strings))
    return CreatedReseller(await get_reseller(tx, ref), returned)


async def edit_reseller(
    tx: Transaction, caller: Caller, reseller_ref: int, changes: ResellerChanges
) -> ResellerDetails:
    """Its row is locked. `enabled` is checked with every request it sends, so a change takes effect at once."""
    now = clock.now()
    changed = await store.update_reseller(tx, reseller_ref, _columns(changes) | {"updated_at": now})
    await _update_terms(tx, reseller_ref)
    await audit.record_by(tx, caller, "edit", "reseller", reseller_ref, fields=sorted(msgspec.to_builtins(changes)))
    attributes = ["name" if column == "reseller_name" else column for column in changed]
    await reseller_events.emit_updated(tx, reseller_ref, fields_of(ResellerChanges, attributes), now)
    return await get_reseller(tx, reseller_ref)


async def delete_reseller(tx: Transaction, caller: Caller, reseller_ref: int) -> None:
    """Its row is locked. Its credentials are revoked and its prices deleted; its users stay with the brand."""
    now = clock.now()
    await store.delete_reseller(tx, reseller_ref, now)
    await search.update_reseller(tx, reseller_ref, [])
    await credentials.revoke_of_reseller(tx, caller, reseller_ref)
    await audit.record_by(tx, caller, "delete", "reseller", reseller_ref)
    await reseller_events.emit(tx, RESELLER_DELETED, reseller_ref, now)


async def _update_terms(tx: Transaction, reseller_ref: int) -> None:
    """Users are found by their reseller's names too; those are stored once, with the reseller."""
    for ref, names in await store.list_searched_texts(tx, reseller_ref):
        await search.update_reseller(tx, ref, [str(ref), *names])


async def collect_terms(tx: Transaction, collected: TermsOfResellers) -> None:
    """Observes `reseller_terms_collected`."""
    for ref, names in await store.list_searched_texts(tx):
        collected.add_texts(ref, [str(ref), *names])


async def enforce_user_limit(tx: Transaction, reseller_ref: int | None) -> None:
    """Called before a user of the reseller is created or restored; refuses more users than `accountCreateLimit`.

    The row is locked first. The users are counted by a second statement, which sees what the previous holder of the
    lock committed.
    """
    if reseller_ref is None:
        return
    limit = await store.lock_limit(tx, reseller_ref)
    if limit is not None and await store.count_users(tx, reseller_ref) >= limit:
        raise AccountCreateLimitReached


async def default_currency(tx: Transaction, reseller_ref: int | None) -> int | None:
    """The default currency of the reseller's users, if it has set one."""
    return None if reseller_ref is None else await store.default_currency(tx, reseller_ref)


async def find_branding(tx: Transaction, reseller_ref: int | None) -> ResellerBranding | None:
    """None for users of no reseller, or of a deleted one."""
    return None if reseller_ref is None else await store.find_branding(tx, reseller_ref)


def with_branding(brand: BrandSettings, branding: ResellerBranding | None) -> BrandSettings:
    """The brand with the reseller's name, help page and support address, as the reseller's users see it.

    Without the brand's logo and icon, which show another name.
    """
    if branding is None:
        return brand
    return msgspec.structs.replace(
        brand,
        name=branding.display_name,
        help_url=branding.reseller_help_url or brand.help_url,
        contact=branding.reseller_support_email or brand.contact,
        own_support_email=branding.reseller_support_email or brand.own_support_email,
        support_url=branding.reseller_help_url or brand.support_url,
        logo_hash=None,
        favicon_hash=None,
    )


def _columns(request: NewReseller | ResellerChanges) -> dict[str, Any]:
    """The sent fields by column; null becomes the column's empty value."""
    columns = {name: value for name, value in msgspec.structs.asdict(request).items() if value is not UNSET}
    for name, value in columns.items():
        if value is None:
            columns[name] = 0 if name == "account_create_limit" else ""
    if "name" in columns:
        columns["reseller_name"] = columns.pop("name")
    return columns


def _present(row: asyncpg.Record) -> ResellerDetails:
    zone, updated_at = row["time_zone"], row["updated_at"]
    return ResellerDetails(
        **{name: row[name] for name in _COPIED_FIELDS},
        created=timestamp(row["created_at"], zone),
        updated=None if updated_at is None else timestamp(updated_at, zone),
    )


async def names_of(tx: Transaction, refs: Sequence[int]) -> dict[int, str]:
    """The names of resellers, also of deleted ones."""
    return await store.names_of(tx, refs)
