"""The rules of resellers, and everything that changes them."""

from typing import Any

import asyncpg
import msgspec
from msgspec import UNSET

from sitewright.accounts.resellers import store
from sitewright.accounts.resellers.errors import AccountCreateLimitReached, ResellerNotFound
from sitewright.accounts.resellers.requests import NewReseller, ResellerChanges
from sitewright.accounts.resellers.schemas import CreatedReseller, ResellerCredentials, ResellerDetails
from sitewright.accounts.resellers.store import ResellerLook
from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller, Role
from sitewright.kit.db import Transaction
from sitewright.kit.paging import Page, Window, cut
from sitewright.kit.problems import FieldErrors
from sitewright.kit.sealing import Sealer
from sitewright.kit.timestamps import timestamp
from sitewright.tenants.brands.schemas import BrandSettings
from sitewright.tenants.credentials import service as credentials

__all__ = [
    "ResellerLook",
    "check_reseller",
    "create_reseller",
    "default_currency",
    "delete_reseller",
    "edit_reseller",
    "find_look",
    "get_reseller",
    "list_resellers",
    "lock_reseller",
    "require_reseller",
    "seen_by_users",
    "take_place",
]
_AS_THEY_ARE = frozenset(ResellerDetails.__struct_fields__) - {"created", "updated"}


async def check_reseller(tx: Transaction, caller: Caller, reseller_ref: int | None) -> FieldErrors:
    """Whether `resellerRef` of a body or query may be named: a reseller names itself alone, others any of the brand."""
    if reseller_ref is None or reseller_ref == caller.reseller_ref:
        return {}
    if caller.reseller_ref is None and await store.reseller_exists(tx, reseller_ref):
        return {}
    return {"resellerRef": {"invalidResellerRef": "is not a reseller of your brand"}}


async def require_reseller(tx: Transaction, reseller_ref: int) -> None:
    if not await store.reseller_exists(tx, reseller_ref):
        raise ResellerNotFound


async def lock_reseller(tx: Transaction, reseller_ref: int) -> None:
    """Until the end of the transaction nobody else changes it or its prices."""
    if not await store.lock_reseller(tx, reseller_ref):
        raise ResellerNotFound


async def list_resellers(tx: Transaction, window: Window) -> tuple[list[ResellerDetails], Page]:
    rows = await store.list_resellers(tx, window)
    page = cut(window, [row["ref"] for row in rows])
    shown = set(page.refs)
    return [_told(row) for row in rows if row["ref"] in shown], page


async def get_reseller(tx: Transaction, reseller_ref: int) -> ResellerDetails:
    row = await store.find_reseller(tx, reseller_ref)
    if row is None:
        raise ResellerNotFound
    return _told(row)


async def create_reseller(
    tx: Transaction, sealer: Sealer, caller: Caller, brand: BrandSettings, new: NewReseller
) -> CreatedReseller:
    ref = await store.insert_reseller(tx, _columns(new) | {"created_at": clock.now()})
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
    told = ResellerCredentials(**msgspec.structs.asdict(strings))
    return CreatedReseller(await get_reseller(tx, ref), told)


async def edit_reseller(
    tx: Transaction, caller: Caller, reseller_ref: int, changes: ResellerChanges
) -> ResellerDetails:
    """It is locked. Whether it is enabled is asked with every call it makes, so a change holds at once."""
    await store.update_reseller(tx, reseller_ref, _columns(changes) | {"updated_at": clock.now()})
    await audit.record_by(tx, caller, "edit", "reseller", reseller_ref, fields=sorted(msgspec.to_builtins(changes)))
    return await get_reseller(tx, reseller_ref)


async def delete_reseller(tx: Transaction, caller: Caller, reseller_ref: int) -> None:
    """It is locked. Its credentials and prices end; its users stay, and are the brand's alone."""
    await store.delete_reseller(tx, reseller_ref, clock.now())
    await credentials.revoke_of_reseller(tx, caller, reseller_ref)
    await audit.record_by(tx, caller, "delete", "reseller", reseller_ref)


async def take_place(tx: Transaction, reseller_ref: int | None) -> None:
    """Before a user of the reseller is made or brought back: one more than `accountCreateLimit` is refused.

    The row is locked first and the users are counted by a statement of its own, which sees what was committed by
    whoever held the lock before.
    """
    if reseller_ref is None:
        return
    limit = await store.lock_limit(tx, reseller_ref)
    if limit is not None and await store.count_users(tx, reseller_ref) >= limit:
        raise AccountCreateLimitReached


async def default_currency(tx: Transaction, reseller_ref: int | None) -> int | None:
    """Of the reseller's users, where it has set one."""
    return None if reseller_ref is None else await store.default_currency(tx, reseller_ref)


async def find_look(tx: Transaction, reseller_ref: int | None) -> ResellerLook | None:
    """None for users of no reseller, or of a deleted one."""
    return None if reseller_ref is None else await store.find_look(tx, reseller_ref)


def seen_by_users(brand: BrandSettings, look: ResellerLook | None) -> BrandSettings:
    """The brand as the reseller's users know it: by the reseller's name, help page and support address."""
    if look is None:
        return brand
    return msgspec.structs.replace(
        brand,
        name=look.display_name,
        help_url=look.reseller_help_url or brand.help_url,
        contact=look.reseller_support_email or brand.contact,
    )


def _columns(request: NewReseller | ResellerChanges) -> dict[str, Any]:
    """What was sent, by column; null is what the column says of nothing."""
    columns = {name: value for name, value in msgspec.structs.asdict(request).items() if value is not UNSET}
    for name, value in columns.items():
        if value is None:
            columns[name] = 0 if name == "account_create_limit" else ""
    if "name" in columns:
        columns["reseller_name"] = columns.pop("name")
    return columns


def _told(row: asyncpg.Record) -> ResellerDetails:
    zone, updated_at = row["time_zone"], row["updated_at"]
    return ResellerDetails(
        **{name: row[name] for name in _AS_THEY_ARE},
        created=timestamp(row["created_at"], zone),
        updated=None if updated_at is None else timestamp(updated_at, zone),
    )
