"""Changes the settings of the transaction's brand, by the rules of the catalogue file (decision 0143)."""

import hashlib
from typing import Any

import msgspec
from msgspec import UNSET

from sitewright.kit import audit
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.mail import store as mail_store
from sitewright.kit.problems import FieldErrors, Invalid
from sitewright.kit.validation import field_code
from sitewright.settings import Settings
from sitewright.settings_checks import REQUIRED_BY_PROVIDER
from sitewright.tenants.brands import service as brands
from sitewright.tenants.brands import store
from sitewright.tenants.brands.schemas import BrandSettings
from sitewright.tenants.brands.settings.rules import RULES, Rule, color, matches, time_zones
from sitewright.tenants.brands.settings.schemas import BrandSettingsChanges, BrandSettingsDetails

__all__ = [
    "RULES",
    "TEST_MODE_IS_FIXED",
    "BrandSettingsChanges",
    "BrandSettingsDetails",
    "Rule",
    "change",
    "check_dns_provider",
    "check_values",
    "color",
    "describe",
    "list_languages",
    "matches",
    "normalized",
    "time_zones",
]

PICTURES = ("logo", "favicon")
ADDRESSES = ("support_email", "contact", "mail_sender")
"""The audit log names them without their values, since they may be of a person."""
TEST_MODE_IS_FIXED = "is fixed when the brand is created and cannot be changed; create another brand"
FIELDS = {each.name: each.encode_name for each in msgspec.structs.fields(BrandSettingsChanges)}


async def list_languages(tx: Transaction) -> list[str]:
    """The codes of all languages that a brand can have."""
    return sorted(await store.list_all_languages(tx))


def describe(settings: BrandSettings) -> BrandSettingsDetails:
    own: dict[str, Any] = {"support_email": settings.own_support_email, "languages": settings.language_codes}
    names = (name for name in BrandSettingsDetails.__struct_fields__ if name not in own)
    return BrandSettingsDetails(**own, **{name: getattr(settings, name) for name in names})


async def change(tx: Transaction, caller: Caller, changes: BrandSettingsChanges) -> list[str]:
    """Returns the names of the settings that are different now, as in the catalogue file."""
    await store.lock_brand(tx)
    settings = await brands.settings_of_brand(tx)
    before = _values(settings)
    given = normalized(changes)
    errors = check(before, given) | await _check_against_database(tx, settings, given)
    if errors:
        raise Invalid.fields(errors)
    changed = {name: value for name, value in given.items() if _differs(settings, before, name, value)}
    if not changed:
        return []
    await _write(tx, settings.brand_ref, changed)
    await audit.record_by(tx, caller, "change-settings", "brand", settings.brand_ref, **_audited(before, changed))
    return [FIELDS[name] for name in changed]


def check_dns_provider(service_settings: Settings, changes: BrandSettingsChanges) -> None:
    """Raises Invalid for a provider that the service is not set up for."""
    provider = changes.dns_provider or "none"
    missing = [name for name in REQUIRED_BY_PROVIDER[provider] if not getattr(service_settings, name)]
    if missing:
        message = f"the service is not set up for {provider}: its operator must set {', '.join(missing)}"
        raise Invalid.fields({"dnsProvider": {field_code("dnsProvider"): message}})


def normalized(changes: BrandSettingsChanges) -> dict[str, Any]:
    """The settings that were sent, by attribute."""
    given = {name: value for name, value in msgspec.structs.asdict(changes).items() if value is not UNSET}
    if given.get("accent_colour") and not _broken("accentColour", given["accent_colour"]):
        given["accent_colour"] = color(given["accent_colour"])
    return given


def check(before: dict[str, Any], given: dict[str, Any]) -> FieldErrors:
    """The errors of new values, also together with the present ones: the same rules as in the catalogue file."""
    errors, values = check_values(given), before | given
    for name in values["allowed_reserved_names"]:
        if name in values["reserved_names"]:
            _add(errors, "allowedReservedNames", f"{name} is also in reservedNames")
    is_reachable = values["support_email"] or "@" in str(values["contact"])
    if values["self_service_deletion"] == "request" and not is_reachable:
        _add(errors, "selfServiceDeletion", "needs a supportEmail, where the requests are sent")
    if values["test_mode"] != before["test_mode"]:
        _add(errors, "testMode", TEST_MODE_IS_FIXED)
    for name in ("languages", "allowed_link_hosts", "reserved_names", "allowed_reserved_names"):
        if len(set(values[name])) != len(values[name]):
            _add(errors, FIELDS[name], "must not hold the same entry twice")
    return errors


def check_values(given: dict[str, Any]) -> FieldErrors:
    """The errors of single values, by attribute."""
    errors: FieldErrors = {}
    for name, value in given.items():
        if (broken := _broken(FIELDS[name], value)) is not None:
            _add(errors, FIELDS[name], f"must be {broken}")
    return errors


def _broken(name: str, value: Any) -> str | None:
    is_valid, expected = RULES.get(name, (lambda _value: True, ""))
    each = value if isinstance(value, list) else [value]
    return None if all(item is None or is_valid(item) for item in each) else expected


async def _check_against_database(tx: Transaction, settings: BrandSettings, given: dict[str, Any]) -> FieldErrors:
    errors: FieldErrors = {}
    if "name" in given:
        others = [each for each in await store.list_brands(tx) if each.brand_ref != settings.brand_ref]
        if any(each.name == given["name"] for each in others):
            _add(errors, "name", "another brand has this name")
    if "languages" in given:
        known = await store.list_all_languages(tx)
        if not given["languages"]:
            _add(errors, "languages", "must hold at least one language: every account holder has one")
        if unknown := [code for code in given["languages"] if code not in known]:
            _add(errors, "languages", f"there is no language {unknown[0]}; there are {', '.join(sorted(known))}")
        used = {language for language, _kind in await mail_store.own_templates(tx)}
        if missing := sorted(used - set(given["languages"])):
            _add(errors, "languages", f"must hold {missing[0]}: the brand has own mail templates in it")
    return errors


def _add(errors: FieldErrors, name: str, message: str) -> None:
    errors.setdefault(name, {field_code(name): message})


def _values(settings: BrandSettings) -> dict[str, Any]:
    """The present values by attribute, without pictures."""
    special = {"languages": settings.language_codes, "support_email": settings.own_support_email}
    special |= dict.fromkeys(PICTURES)
    return {name: special[name] if name in special else getattr(settings, name) for name in FIELDS}


def _differs(settings: BrandSettings, before: dict[str, Any], name: str, value: Any) -> bool:
    """Pictures are compared by the hash that the database has of them."""
    if name not in PICTURES:
        return bool(before[name] != value)
    digest = value and hashlib.md5(value.encode(), usedforsecurity=False).hexdigest()
    return bool(getattr(settings, f"{name}_hash") != digest)


async def _write(tx: Transaction, brand_ref: int, changed: dict[str, Any]) -> None:
    columns = {name: value for name, value in changed.items() if name != "languages"}
    if columns:
        await store.update_settings(tx, columns)
    if "languages" in changed:
        await store.replace_languages(tx, brand_ref, changed["languages"])


def _audited(before: dict[str, Any], changed: dict[str, Any]) -> dict[str, Any]:
    shown = [name for name in changed if name not in (*PICTURES, *ADDRESSES)]
    return {
        "changed": sorted(FIELDS[name] for name in changed),
        "before": {FIELDS[name]: before[name] for name in shown},
        "after": {FIELDS[name]: changed[name] for name in shown},
    }
