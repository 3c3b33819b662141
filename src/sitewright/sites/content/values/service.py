"""The rules of global and static values. Changes require the lock on the site's content (`content.access`)."""

from collections.abc import Iterable
from typing import Any

from msgspec import UNSET

from sitewright.kit import audit, clock, paging
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.paging import Window
from sitewright.kit.problems import FieldErrors, Invalid
from sitewright.kit.timestamps import timestamp
from sitewright.kit.validation import MAX_TEXT, field_code
from sitewright.sites.content.errors import GlobalValueNotFound, StaticValueNotFound
from sitewright.sites.content.media_names import check_media
from sitewright.sites.content.pairs import duplicate_names
from sitewright.sites.content.schemas import GlobalValue, StaticValue
from sitewright.sites.content.values import store
from sitewright.sites.content.values.requests import NewGlobalValue, StaticValueChanges
from sitewright.tenants.brands import service as brands

NOT_UTF8 = "\N{REPLACEMENT CHARACTER}"
"""Replaces bytes that are not UTF-8 in a path; a name with it is never created."""


async def find_global_value(tx: Transaction, site_ref: int, name: str) -> int:
    """Return the ref of a global value, which the API calls `id`."""
    ref = await store.find_global_value(tx, site_ref, name) if _is_valid_name(name) else None
    if ref is None:
        raise GlobalValueNotFound
    return ref


async def find_global_value_to_set(tx: Transaction, site_ref: int, name: str) -> int | None:
    """Return the ref of a global value; None if it does not exist and the brand lets PUT create it (upsert)."""
    if not _is_valid_name(name):
        raise GlobalValueNotFound(f"A global value's name holds 1 to {MAX_TEXT} characters, and no NUL.")
    ref = await store.find_global_value(tx, site_ref, name)
    is_readable = NOT_UTF8 not in name
    if ref is None and not (is_readable and (await brands.settings_of_brand(tx)).upsert_global_values):
        raise GlobalValueNotFound
    return ref


async def create_global_value(tx: Transaction, caller: Caller, site_ref: int, new: NewGlobalValue) -> GlobalValue:
    await _check_media(tx, site_ref, {"value": new.value})
    ref = await store.insert_global_value(tx, site_ref, new.name, new.value)
    await audit.record_by(tx, caller, "create", "globalValue", ref, site=site_ref)
    return GlobalValue(ref, new.name, new.value)


async def set_global_value(
    tx: Transaction, caller: Caller, site_ref: int, ref: int | None, new: NewGlobalValue
) -> GlobalValue:
    """Change the value with this ref; None creates it."""
    if ref is None:
        return await create_global_value(tx, caller, site_ref, new)
    await _check_media(tx, site_ref, {"value": new.value})
    await store.update_global_value(tx, ref, new.value)
    await audit.record_by(tx, caller, "edit", "globalValue", ref, site=site_ref)
    return GlobalValue(ref, new.name, new.value)


async def delete_global_value(tx: Transaction, caller: Caller, site_ref: int, ref: int) -> None:
    await store.delete_global_value(tx, ref)
    await audit.record_by(tx, caller, "delete", "globalValue", ref, site=site_ref)


async def list_global_values(tx: Transaction, site_ref: int, window: Window) -> tuple[list[GlobalValue], paging.Page]:
    values, too_large = await store.list_global_values(tx, site_ref, window)
    shown = paging.cut(window, [value.id for value in values], too_large=too_large)
    return [value for value in values if shown.refs[0] <= value.id <= shown.refs[-1]], shown


async def list_static_values(
    tx: Transaction, site_ref: int, static_widget_id: str | None, window: Window
) -> tuple[list[StaticValue], paging.Page]:
    """List the values of the site, or of one static widget, which must have at least one."""
    if static_widget_id is not None:
        check_static_widget_id(static_widget_id)
    rows, too_large = await store.list_static_values(tx, site_ref, static_widget_id, window)
    is_first_page = window == paging.ListQuery().window
    if not rows and static_widget_id is not None and is_first_page:
        raise StaticValueNotFound
    shown = paging.cut(window, [row["ref"] for row in rows], too_large=too_large)
    return [_serialize(row.values()) for row in rows if shown.refs[0] <= row["ref"] <= shown.refs[-1]], shown


def check_static_widget_id(static_widget_id: str) -> None:
    """Respond to an invalid id with 404, as to a malformed ref."""
    if not _is_valid_name(static_widget_id):
        raise StaticValueNotFound(f"A static widget id holds 1 to {MAX_TEXT} characters, and no NUL.")


async def set_static_values(
    tx: Transaction, caller: Caller, site_ref: int, static_widget_id: str, changes: StaticValueChanges
) -> list[StaticValue]:
    """Set values, and return all values of the static widget."""
    values = _by_name(changes)
    await _check_media(tx, site_ref, values)
    await store.set_static_values(tx, site_ref, static_widget_id, values, clock.now())
    await audit.record_by(tx, caller, "edit", "staticValues", site_ref, values=len(values))
    return [_serialize(row) for row in await store.read_static_values(tx, site_ref, static_widget_id)]


async def delete_static_value(tx: Transaction, caller: Caller, site_ref: int, ref: int) -> None:
    await store.delete_static_value(tx, ref)
    await audit.record_by(tx, caller, "delete", "staticValue", ref, site=site_ref)


async def _check_media(tx: Transaction, site_ref: int, texts: dict[str, str]) -> None:
    errors = await check_media(tx, site_ref, texts)
    if errors:
        raise Invalid.fields(errors)


def _by_name(changes: StaticValueChanges) -> dict[str, str]:
    """Collect the sent values: `values` is a list, `name` and `value` one more; one of both is required."""
    several = [] if changes.values is UNSET else changes.values
    errors: FieldErrors = duplicate_names(several)
    name, value = changes.name, changes.value
    if changes.values is UNSET or (name is UNSET) != (value is UNSET):
        missing = [field for field, sent in (("name", name), ("value", value)) if sent is UNSET]
        errors |= {field: {field_code(field): "is required, or `values` in its place"} for field in missing}
    if errors:
        raise Invalid.fields(errors)
    one = {} if name is UNSET or value is UNSET else {name: value}
    return {each.name: each.value for each in several} | one


def _is_valid_name(name: str) -> bool:
    return len(name) <= MAX_TEXT and "\0" not in name


def _serialize(row: Iterable[Any]) -> StaticValue:
    ref, static_widget_id, name, value, created_at, updated_at, zone = row
    created, updated = (timestamp(at, zone).date for at in (created_at, updated_at))
    return StaticValue(str(ref), static_widget_id, name, value, created, updated)
