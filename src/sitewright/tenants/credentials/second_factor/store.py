from collections.abc import Sequence
from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.sealed_columns import SealedColumn

CONTEXT = "operators/{ref}/second_factor"
SEALED_COLUMNS = [
    SealedColumn(
        "operators",
        "second_factor",
        CONTEXT,
        if_lost="run sitewright credentials reset-second-factor for each operator with one-time codes",
        renewal="update operators set second_factor = null, second_factor_at = null, recovery_codes = '{{}}'"
        " where revoked_at is not null and {lost}",
    )
]


class SecondFactor(msgspec.Struct, frozen=True):
    """The second factor of an operator; `enabled_at` is None while it is being set up."""

    secret: bytes | None
    enabled_at: datetime | None
    last_code: int | None
    wrong_codes: int
    wrong_code_at: datetime | None
    recovery_codes: list[str]


_ONE = (
    "select second_factor, second_factor_at, last_code, wrong_codes, wrong_code_at, recovery_codes from operators"
    " where ref = $1 and revoked_at is null"
)


async def find(tx: Transaction, ref: int) -> SecondFactor | None:
    row = await tx.fetchrow(_ONE, ref)
    return None if row is None else SecondFactor(*row)


async def lock(tx: Transaction, ref: int) -> SecondFactor | None:
    """Concurrent attempts wait for each other, so that each counts."""
    row = await tx.fetchrow(f"{_ONE} for update", ref)
    return None if row is None else SecondFactor(*row)


async def begin(tx: Transaction, ref: int, sealed: bytes) -> None:
    await tx.execute(
        "update operators set second_factor = $2, second_factor_at = null, last_code = null, recovery_codes = '{}'"
        " where ref = $1",
        ref,
        sealed,
    )


async def enable(tx: Transaction, ref: int, at: datetime, digests: Sequence[str]) -> None:
    await tx.execute(
        "update operators set second_factor_at = $2, recovery_codes = $3 where ref = $1", ref, at, list(digests)
    )


async def remove(tx: Transaction, ref: int) -> None:
    await tx.execute(
        "update operators set second_factor = null, second_factor_at = null, last_code = null, recovery_codes = '{}'"
        " where ref = $1",
        ref,
    )


async def use_code(tx: Transaction, ref: int, step: int) -> None:
    await tx.execute("update operators set last_code = $2, wrong_codes = 0 where ref = $1", ref, step)


async def use_recovery_code(tx: Transaction, ref: int, digest: str) -> None:
    await tx.execute(
        "update operators set recovery_codes = array_remove(recovery_codes, $2), wrong_codes = 0 where ref = $1",
        ref,
        digest,
    )


async def replace_recovery_codes(tx: Transaction, ref: int, digests: Sequence[str]) -> None:
    await tx.execute("update operators set recovery_codes = $2 where ref = $1", ref, list(digests))


async def count_wrong_code(tx: Transaction, ref: int, number: int, at: datetime) -> None:
    await tx.execute("update operators set wrong_codes = $2, wrong_code_at = $3 where ref = $1", ref, number, at)
