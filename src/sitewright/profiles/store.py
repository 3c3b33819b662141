"""Profiles: what a site tells of its business, as names and values."""

from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction


async def find_fields(tx: Transaction, profile_ref: int, user_ref: int | None = None) -> str | None:
    """As JSON, where the profile is there and, if asked for, this user's."""
    fields: str | None = await tx.fetchval(
        "select fields::text from profiles where brand_ref = current_brand() and ref = $1"
        " and ($2::bigint is null or user_ref = $2)",
        profile_ref,
        user_ref,
    )
    return fields


async def put_fields(tx: Transaction, profile_ref: int, fields: dict[str, str], now: datetime) -> int:
    """How many fields the profile has then."""
    number: int = await tx.fetchval(
        "update profiles p set fields = p.fields || $2::jsonb, updated_at = $3"
        " where p.brand_ref = current_brand() and p.ref = $1"
        " returning (select count(*) from jsonb_object_keys(p.fields))",
        profile_ref,
        msgspec.json.encode(fields).decode(),
        now,
    )
    return number


async def set_values(tx: Transaction, user_ref: int, value: str, now: datetime) -> None:
    """Every field of every profile of the user says `value`."""
    await tx.execute(
        "update profiles p set updated_at = $3, fields = coalesce("
        "       (select jsonb_object_agg(name, $2::text) from jsonb_object_keys(p.fields) name), '{}')"
        " where p.brand_ref = current_brand() and p.user_ref = $1",
        user_ref,
        value,
        now,
    )
