"""Validation of a described account: one problem names every invalid path."""

from typing import Any

import msgspec
from msgspec import UNSET

from sitewright.accounts.users import service as users
from sitewright.accounts.users.service import DescribedUser, NewUser
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.problems import FieldErrors, Invalid
from sitewright.kit.validation import field_code, read_fields
from sitewright.provisioning.accounts.holder import HOLDER
from sitewright.provisioning.accounts.requests import MAX_SITES, AccountDescription, DescribedSite
from sitewright.provisioning.accounts.run import under
from sitewright.provisioning.accounts.site_plan import check_names
from sitewright.tenants.brands.schemas import BrandSettings


def check_external_id(external_id: str) -> FieldErrors:
    if is_external_id(external_id):
        return {}
    message = "must hold 1 to 128 of the characters A-Z a-z 0-9 . _ : -"
    return {"externalId": {"invalidExternalId": message}}


def is_external_id(text: str) -> bool:
    return 1 <= len(text) <= 128 and text.isascii() and not text.translate(_ALLOWED)


_ALLOWED = dict.fromkeys(map(ord, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-"))


async def read_description(
    tx: Transaction,
    caller: Caller,
    brand: BrandSettings,
    external_id: str,
    values: dict[str, Any],
    *,
    exists: bool,
) -> AccountDescription:
    """The description in a body; its language code is replaced by the brand's own spelling.

    `exists`: there is an account, so that no field is required.
    """
    read, errors = read_fields(AccountDescription, values)
    errors |= check_external_id(external_id)
    sent = values.get("accountHolder")
    holder = _readable(DescribedUser, sent)
    found = await users.check_user(tx, caller, brand, holder)
    errors |= {under(HOLDER, field): each for field, each in found.items()}
    if not exists and read.get("adopt") is None and "adopt" not in errors:
        errors |= find_missing(sent if isinstance(sent, dict) else {})
    errors |= check_names(_readable_sites(values.get("sites")))
    if errors:
        raise Invalid.fields(errors)
    description = AccountDescription(**read)
    if description.account_holder is UNSET or "language_code" not in holder:
        return description
    spelled = msgspec.structs.replace(description.account_holder, language_code=holder["language_code"])
    return msgspec.structs.replace(description, account_holder=spelled)


def find_missing(sent: dict[str, Any]) -> FieldErrors:
    """The fields that a new account holder needs and that were not sent."""
    required = [field.encode_name for field in msgspec.structs.fields(NewUser) if field.required]
    return {
        under(HOLDER, name): {field_code(name): "is required for a new account"}
        for name in required
        if name not in sent and name != "brandRef"
    }


def _readable_sites(sent: Any) -> list[dict[str, Any]]:
    return [_readable(DescribedSite, each) for each in sent[:MAX_SITES]] if isinstance(sent, list) else []


def _readable(into: type[msgspec.Struct], sent: Any) -> dict[str, Any]:
    """The well-typed fields of a part of the body, by attribute: the others are errors of the whole already."""
    return read_fields(into, sent)[0] if isinstance(sent, dict) else {}
