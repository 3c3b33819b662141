"""Profiles: the business information of a site, as names and values."""

from datetime import datetime

import msgspec

from sitewright.kit.data_export import DataExport
from sitewright.kit.db import Transaction


class Contact(msgspec.Struct, frozen=True):
    """The e-mail address of a profile, its verified one, and the account holder's own."""

    brand_ref: int
    user_ref: int
    email: str
    verified_email: str | None
    holder_email: str
    is_holder_verified: bool

    @property
    def is_verified(self) -> bool:
        return self.email == self.verified_email

    @property
    def is_holders_verified(self) -> bool:
        return self.is_holder_verified and self.email == self.holder_email


async def find_contact(tx: Transaction, profile_ref: int) -> Contact | None:
    """None where there is no such profile, or its holder is deleted or anonymized."""
    row = await tx.fetchrow(
        "select p.brand_ref, p.user_ref, btrim(coalesce(p.fields ->> 'email', '')), p.verified_email, u.email,"
        " u.email_verified_at is not null"
        " from profiles p join account_holders u on u.brand_ref = p.brand_ref and u.ref = p.user_ref"
        " where p.brand_ref = current_brand() and p.ref = $1 and u.deleted_at is null and u.anonymised_at is null",
        profile_ref,
    )
    return None if row is None else Contact(*row)


async def lock_holder(tx: Transaction, profile_ref: int) -> None:
    """The holder's row is locked before the profile's, as everywhere."""
    await tx.execute(
        "select lock_users(array[p.user_ref]) from profiles p where p.brand_ref = current_brand() and p.ref = $1",
        profile_ref,
    )


async def insert_profile(tx: Transaction, user_ref: int, now: datetime) -> int:
    ref: int = await tx.fetchval(
        "insert into profiles (brand_ref, user_ref, updated_at) values (current_brand(), $1, $2) returning ref",
        user_ref,
        now,
    )
    return ref


async def delete_profile(tx: Transaction, profile_ref: int) -> None:
    await tx.execute("delete from profiles where brand_ref = current_brand() and ref = $1", profile_ref)


async def set_verified_email(tx: Transaction, profile_ref: int, email: str) -> None:
    await tx.execute(
        "update profiles set verified_email = $2 where brand_ref = current_brand() and ref = $1", profile_ref, email
    )


async def find_fields(tx: Transaction, profile_ref: int, user_ref: int | None = None) -> str | None:
    """As JSON; None where there is no such profile or, with `user_ref`, it is another user's."""
    fields: str | None = await tx.fetchval(
        "select fields::text from profiles where brand_ref = current_brand() and ref = $1"
        " and ($2::bigint is null or user_ref = $2)",
        profile_ref,
        user_ref,
    )
    return fields


async def put_fields(tx: Transaction, profile_ref: int, fields: dict[str, str], now: datetime) -> int:
    """Returns how many fields the profile has afterwards."""
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
    """Sets every field of every profile of the user to `value`."""
    await tx.execute(
        "update profiles p set updated_at = $3, verified_email = null, fields = coalesce("
        "       (select jsonb_object_agg(name, $2::text) from jsonb_object_keys(p.fields) name), '{}')"
        " where p.brand_ref = current_brand() and p.user_ref = $1",
        user_ref,
        value,
        now,
    )


async def export_user(tx: Transaction, export: DataExport) -> None:
    await export.write(
        "business-details.json",
        tx.cursor(
            'select row_to_json(x)::text from (select ref, fields, verified_email as "verifiedEmail", updated_at as'
            ' "updated" from profiles where brand_ref = current_brand() and user_ref = $1 order by ref) x',
            export.user_ref,
        ),
    )
