"""Profiles: what a site tells of its business, as names and values."""

from sitewright.kit.db import Transaction


async def find_profile(tx: Transaction, profile_ref: int, user_ref: int | None) -> str | None:
    """The fields as JSON, where the profile is there and, if asked for, this user's."""
    fields: str | None = await tx.fetchval(
        "select fields::text from profiles where brand_ref = current_brand() and ref = $1"
        " and ($2::bigint is null or user_ref = $2)",
        profile_ref,
        user_ref,
    )
    return fields
