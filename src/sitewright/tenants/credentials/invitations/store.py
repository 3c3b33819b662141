from collections.abc import Sequence
from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction


class Invitation(msgspec.Struct, frozen=True):
    """An open invitation, without its secret."""

    ref: int
    name: str
    email: str
    role: str
    created_at: datetime
    expires_at: datetime


_COLUMNS = "ref, name, email, role, created_at, expires_at"


async def insert_invitation(
    tx: Transaction, digest: bytes, name: str, email: str, role: str, created_at: datetime, expires_at: datetime
) -> int:
    ref: int = await tx.fetchval(
        "insert into operator_invitations (brand_ref, digest, name, email, role, created_at, expires_at)"
        " values (current_brand(), $1, $2, $3, $4, $5, $6) returning ref",
        digest,
        name,
        email,
        role,
        created_at,
        expires_at,
    )
    return ref


async def list_invitations(tx: Transaction) -> list[Invitation]:
    """Oldest first, expired ones too."""
    rows = await tx.fetch(
        f"select {_COLUMNS} from operator_invitations where brand_ref = current_brand() order by ref"  # noqa: S608 - our own columns
    )
    return [Invitation(*row) for row in rows]


async def find_invitation(tx: Transaction, digest: bytes, now: datetime) -> Invitation | None:
    """The invitation with this digest, unless it has expired."""
    row = await tx.fetchrow(
        f"select {_COLUMNS} from operator_invitations"  # noqa: S608 - our own columns
        " where brand_ref = current_brand() and digest = $1 and expires_at > $2",
        digest,
        now,
    )
    return None if row is None else Invitation(*row)


async def count_invitations(tx: Transaction) -> int:
    number: int = await tx.fetchval("select count(*) from operator_invitations where brand_ref = current_brand()")
    return number


async def delete_invitation(tx: Transaction, ref: int) -> bool:
    outcome = await tx.execute("delete from operator_invitations where brand_ref = current_brand() and ref = $1", ref)
    return outcome == "DELETE 1"


async def delete_expired(tx: Transaction, before: datetime) -> None:
    await tx.execute("delete from operator_invitations where brand_ref = current_brand() and expires_at < $1", before)


async def names_of(tx: Transaction, refs: Sequence[int]) -> dict[int, str]:
    rows = await tx.fetch(
        "select ref, name from operator_invitations where brand_ref = current_brand() and ref = any($1)", refs
    )
    return {row["ref"]: row["name"] for row in rows}
