from collections.abc import Sequence
from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction


class Operator(msgspec.Struct, frozen=True):
    """An active operator, without secrets."""

    ref: int
    role: str
    username: str
    name: str | None
    email: str | None
    created_at: datetime
    has_second_factor: bool
    last_used_at: datetime | None


_COLUMNS = "ref, role, username, name, email, created_at, second_factor_at is not null, last_used_at"


async def list_operators(tx: Transaction) -> list[Operator]:
    """The active operators of the brand, oldest first."""
    rows = await tx.fetch(
        f"select {_COLUMNS} from operators where brand_ref = current_brand() and revoked_at is null order by ref"  # noqa: S608 - our own columns
    )
    return [Operator(*row) for row in rows]


async def find_operator(tx: Transaction, ref: int) -> Operator | None:
    row = await tx.fetchrow(
        f"select {_COLUMNS} from operators where brand_ref = current_brand() and ref = $1 and revoked_at is null",  # noqa: S608 - our own columns
        ref,
    )
    return None if row is None else Operator(*row)


async def lock_brand_admins(tx: Transaction) -> list[int]:
    """Lock the brand's brand-admins, so that two changes cannot each leave the other's as the last one."""
    rows = await tx.fetch(
        "select ref from operators where brand_ref = current_brand() and role = 'brand-admin' and revoked_at is null"
        " order by ref for update"
    )
    return [row["ref"] for row in rows]


async def count_operators(tx: Transaction) -> int:
    number: int = await tx.fetchval(
        "select count(*) from operators where brand_ref = current_brand() and revoked_at is null"
    )
    return number


async def change_role(tx: Transaction, ref: int, role: str) -> None:
    await tx.execute("update operators set role = $2 where brand_ref = current_brand() and ref = $1", ref, role)


async def lock_password_hash(tx: Transaction, ref: int) -> str | None:
    """Lock an active operator, also a system-owner, and return the hash of the password."""
    password_hash: str | None = await tx.fetchval(
        "select password_hash from operators where ref = $1 and revoked_at is null for update", ref
    )
    return password_hash


async def set_language(tx: Transaction, ref: int, language_code: str) -> None:
    await tx.execute("update operators set language_code = $2 where ref = $1", ref, language_code)


async def names_of(tx: Transaction, refs: Sequence[int]) -> dict[int, str]:
    rows = await tx.fetch("select ref, name from names_of_operators($1)", refs)
    return {row["ref"]: row["name"] for row in rows}
