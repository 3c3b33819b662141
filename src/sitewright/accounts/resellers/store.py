"""Statements about resellers. Deleting is soft, since users keep the ref of their reseller."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import asyncpg
import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.paging import Window
from sitewright.kit.row_changes import update_row

_RESELLERS = """
select r.*, b.time_zone from resellers r join brand_settings b on b.brand_ref = r.brand_ref
 where r.brand_ref = current_brand() and r.deleted_at is null
"""


class ResellerBranding(msgspec.Struct, frozen=True):
    """What a reseller's users see in place of the brand: name, contacts and links. Empty: the brand's."""

    display_name: str
    login_url: str
    external_account_url: str
    external_payment_url: str
    external_payment_cancellation_url: str
    external_subscription_url: str
    reseller_help_url: str
    reseller_support_email: str


async def list_resellers(tx: Transaction, window: Window) -> list[asyncpg.Record]:
    """At most `window.rows` of them, in order; for `before` the nearest ones."""
    rows = await tx.fetch(
        f"{_RESELLERS} and ($1::bigint is null or r.ref > $1) and ($2::bigint is null or r.ref < $2)"
        f" order by r.ref {window.direction} limit $3 offset $4",
        *window.position,
    )
    return sorted(rows, key=lambda row: int(row["ref"]))


async def list_names(tx: Transaction, most: int, also_ref: int | None) -> list[tuple[int, str]]:
    """The refs and names of the first resellers by name, and of one more."""
    rows = await tx.fetch(
        "select ref, reseller_name from resellers where brand_ref = current_brand() and deleted_at is null"
        " order by ref is distinct from $2, reseller_name, ref limit $1",
        most,
        also_ref,
    )
    return sorted(((row["ref"], row["reseller_name"]) for row in rows), key=lambda each: (each[1].casefold(), each[0]))


async def find_reseller(tx: Transaction, reseller_ref: int) -> asyncpg.Record | None:
    return await tx.fetchrow(f"{_RESELLERS} and r.ref = $1", reseller_ref)


async def reseller_exists(tx: Transaction, reseller_ref: int) -> bool:
    """Whether the transaction's brand has this reseller, and it is not deleted."""
    found = await tx.fetchval(
        "select exists (select from resellers where brand_ref = current_brand() and ref = $1 and deleted_at is null)",
        reseller_ref,
    )
    return found is True


async def lock_reseller(tx: Transaction, reseller_ref: int) -> bool:
    """Lock its row. False when there is no such reseller."""
    found = await tx.fetchval(
        "select true from resellers where brand_ref = current_brand() and ref = $1 and deleted_at is null"
        " for no key update",
        reseller_ref,
    )
    return found is True


async def insert_reseller(tx: Transaction, columns: dict[str, Any]) -> int:
    names, placeholders = ", ".join(columns), ", ".join(f"${number}" for number in range(1, len(columns) + 1))
    ref: int = await tx.fetchval(
        f"insert into resellers (brand_ref, {names}) values (current_brand(), {placeholders}) returning ref",  # noqa: S608
        *columns.values(),
    )
    return ref


async def update_reseller(tx: Transaction, reseller_ref: int, columns: dict[str, Any]) -> list[str]:
    """Returns the columns whose values differ from before. The row is locked."""
    return await update_row(tx, "resellers", reseller_ref, columns)


async def delete_reseller(tx: Transaction, reseller_ref: int, at: datetime) -> None:
    """Soft-deletes it and deletes its prices; its users keep its ref."""
    await tx.execute(
        "update resellers set deleted_at = $2 where brand_ref = current_brand() and ref = $1", reseller_ref, at
    )
    await tx.execute(
        "delete from reseller_prices where brand_ref = current_brand() and reseller_ref = $1", reseller_ref
    )


async def list_searched_texts(tx: Transaction, reseller_ref: int | None = None) -> list[tuple[int, list[str]]]:
    """The ref and the names of one or every reseller that is not deleted; they are locked."""
    rows = await tx.fetch(
        "select ref, array[reseller_name, display_name] as names from resellers where brand_ref = current_brand()"
        " and deleted_at is null and ($1::bigint is null or ref = $1) order by ref for no key update",
        reseller_ref,
    )
    return [(row["ref"], row["names"]) for row in rows]


async def lock_limit(tx: Transaction, reseller_ref: int) -> int | None:
    """The limit, or None without one. Concurrent creations of its users wait until this transaction ends."""
    limit: int | None = await tx.fetchval(
        "select account_create_limit from resellers where brand_ref = current_brand() and ref = $1"
        " and deleted_at is null and account_create_limit > 0 for no key update",
        reseller_ref,
    )
    return limit


async def count_users(tx: Transaction, reseller_ref: int) -> int:
    """Users that are not deleted, from the stored counters."""
    users: int = await tx.fetchval(
        "select coalesce(sum(users), 0)::bigint from user_totals"
        " where brand_ref = current_brand() and reseller_ref = $1 and not deleted",
        reseller_ref,
    )
    return users


async def default_currency(tx: Transaction, reseller_ref: int) -> int | None:
    ref: int | None = await tx.fetchval(
        "select default_currency_ref from resellers where brand_ref = current_brand() and ref = $1", reseller_ref
    )
    return ref


async def find_branding(tx: Transaction, reseller_ref: int) -> ResellerBranding | None:
    row = await tx.fetchrow(
        "select display_name, login_url, external_account_url, external_payment_url,"
        " external_payment_cancellation_url, external_subscription_url, reseller_help_url, reseller_support_email"
        " from resellers where brand_ref = current_brand() and ref = $1 and deleted_at is null",
        reseller_ref,
    )
    return None if row is None else ResellerBranding(*row)


async def names_of(tx: Transaction, refs: Sequence[int]) -> dict[int, str]:
    rows = await tx.fetch(
        "select ref, reseller_name from resellers where brand_ref = current_brand() and ref = any($1)", refs
    )
    return {row["ref"]: row["reseller_name"] for row in rows}
