"""The business information of sites. Each site has its own profile, which its pages show."""

from collections.abc import Mapping

import msgspec

from sitewright.accounts.profiles import store
from sitewright.accounts.profiles.errors import ProfileNotFound
from sitewright.accounts.profiles.hooks import ProfileMedia, profile_media_named
from sitewright.accounts.profiles.schemas import MAX_FIELDS, ProfileDetails, ProfileField
from sitewright.accounts.profiles.verification import (
    VERIFY_EMAIL,
    unverified_address,
    verified_address,
    verify_address,
    verify_or_send_link,
)
from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.problems import Invalid
from sitewright.kit.resources import Resources
from sitewright.kit.text import ANONYMIZED

MEDIA_PREFIX = "media:"
EMAIL = "email"

__all__ = [
    "VERIFY_EMAIL",
    "erase_user",
    "get_profile",
    "read_fields",
    "serialize_fields",
    "sorted_fields",
    "unverified_address",
    "verified_address",
    "verify_address",
    "write_fields",
]


async def read_fields(tx: Transaction, profile_ref: int) -> dict[str, str]:
    """The values of a profile by name, in the order of names."""
    fields = await store.find_fields(tx, profile_ref)
    return {} if fields is None else sorted_fields(fields)


async def get_profile(tx: Transaction, user_ref: int, profile_ref: int) -> ProfileDetails:
    """A profile of this user."""
    fields = await store.find_fields(tx, profile_ref, user_ref)
    if fields is None:
        raise ProfileNotFound
    return ProfileDetails(profile_ref, user_ref, serialize_fields(fields))


async def write_fields(
    tx: Transaction, resources: Resources, caller: Caller, profile_ref: int, fields: Mapping[str, str]
) -> None:
    """Creates or changes these fields; others stay as they are. A new e-mail address that is not verified gets a
    verification link."""
    await store.lock_holder(tx, profile_ref)
    await _check_media(tx, profile_ref, fields)
    number = await store.put_fields(tx, profile_ref, dict(fields), clock.now())
    if number > MAX_FIELDS:
        raise Invalid.fields({"fields": {"invalidFields": f"a profile may have {MAX_FIELDS} fields at the most"}})
    await audit.record_by(tx, caller, "edit", "profile", profile_ref, fields=len(fields))
    if EMAIL in fields:
        await verify_or_send_link(tx, resources, caller, profile_ref)


async def _check_media(tx: Transaction, profile_ref: int, fields: Mapping[str, str]) -> None:
    """Fields may name a picture of the site as `media:<ref>`."""
    named = ProfileMedia(profile_ref, {name: value for name, value in fields.items() if MEDIA_PREFIX in value})
    if named.fields:
        await profile_media_named.notify(tx, named)
    if named.unknown:
        message = "names a picture that is not in the site's media library"
        raise Invalid.fields({name: {"invalidValue": message} for name in sorted(named.unknown)})


async def create_profile(tx: Transaction, user_ref: int) -> int:
    """An empty one, for a new site; returns its ref."""
    return await store.insert_profile(tx, user_ref, clock.now())


async def delete_profile(tx: Transaction, profile_ref: int) -> None:
    """Deletes the profile of a site that is permanently deleted."""
    await store.delete_profile(tx, profile_ref)


async def erase_user(tx: Transaction, user_ref: int) -> None:
    """Overwrites the values of the user's profiles; the names of the fields stay."""
    await store.set_values(tx, user_ref, ANONYMIZED, clock.now())


def serialize_fields(fields: str) -> list[ProfileField]:
    return [ProfileField(name, value) for name, value in sorted_fields(fields).items()]


def sorted_fields(fields: str) -> dict[str, str]:
    """Decodes the stored JSON, sorted by name."""
    return dict(sorted(msgspec.json.decode(fields, type=dict[str, str]).items()))
