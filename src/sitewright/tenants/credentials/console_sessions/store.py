from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction


class ConsoleSession(msgspec.Struct, frozen=True):
    """A session in the list of its operator, without its secret."""

    ref: int
    created_at: datetime
    seen_at: datetime
    user_agent: str
    is_current: bool


class SessionOperator(msgspec.Struct, frozen=True, kw_only=True):
    """A session that has not ended, and its operator."""

    session_ref: int
    awaits_code: bool
    chosen_brand_ref: int | None
    seen_at: datetime
    ref: int
    brand_ref: int | None
    role: str
    username: str
    name: str | None
    email: str | None
    language_code: str | None
    has_second_factor: bool


async def insert_session(
    tx: Transaction,
    digest: bytes,
    operator_ref: int,
    now: datetime,
    expires_at: datetime,
    user_agent: str,
    *,
    awaits_code: bool,
) -> None:
    await tx.execute(
        "insert into console_sessions (brand_ref, digest, operator_ref, awaits_code, created_at, seen_at, expires_at,"
        " user_agent) values (current_brand(), $1, $2, $3, $4, $4, $5, $6)",
        digest,
        operator_ref,
        awaits_code,
        now,
        expires_at,
        user_agent,
    )


async def find_operator(tx: Transaction, digest: bytes, now: datetime, seen_after: datetime) -> SessionOperator | None:
    row = await tx.fetchrow(
        "select s.ref as session_ref, s.awaits_code, s.chosen_brand_ref, s.seen_at, o.ref, o.brand_ref, o.role,"
        " o.username, o.name, o.email, o.language_code, o.second_factor_at is not null as has_second_factor"
        " from console_sessions s join operators o on o.ref = s.operator_ref"
        " where s.digest = $1 and s.expires_at > $2 and s.seen_at > $3 and o.revoked_at is null",
        digest,
        now,
        seen_after,
    )
    return None if row is None else SessionOperator(**row)


async def touch(tx: Transaction, ref: int, now: datetime) -> None:
    await tx.execute("update console_sessions set seen_at = $2 where ref = $1", ref, now)


async def touch_operator(tx: Transaction, operator_ref: int, now: datetime) -> None:
    await tx.execute("update operators set last_used_at = $2 where ref = $1", operator_ref, now)


async def choose_brand(tx: Transaction, ref: int, brand_ref: int | None) -> None:
    await tx.execute("update console_sessions set chosen_brand_ref = $2 where ref = $1", ref, brand_ref)


async def list_sessions(
    tx: Transaction, operator_ref: int, current: bytes, now: datetime, seen_after: datetime
) -> list[ConsoleSession]:
    """A hundred at the most, newest first."""
    rows = await tx.fetch(
        "select ref, created_at, seen_at, user_agent, digest = $2 from console_sessions where operator_ref = $1"
        " and expires_at > $3 and seen_at > $4 and not awaits_code order by ref desc limit 100",
        operator_ref,
        current,
        now,
        seen_after,
    )
    return [ConsoleSession(*row) for row in rows]


async def delete_session(tx: Transaction, digest: bytes) -> int | None:
    """Returns the operator whose session it was."""
    operator_ref: int | None = await tx.fetchval(
        "delete from console_sessions where digest = $1 returning operator_ref", digest
    )
    return operator_ref


async def delete_session_of(tx: Transaction, operator_ref: int, ref: int) -> bool:
    outcome = await tx.execute(
        "delete from console_sessions where operator_ref = $1 and ref = $2 and not awaits_code", operator_ref, ref
    )
    return outcome == "DELETE 1"


async def delete_sessions(tx: Transaction, operator_ref: int, keep: bytes = b"") -> int:
    """All of an operator, except the one with the digest `keep`; returns how many."""
    outcome: str = await tx.execute(
        "delete from console_sessions where operator_ref = $1 and digest <> $2", operator_ref, keep
    )
    return int(outcome.rpartition(" ")[2])


async def delete_ended(tx: Transaction, operator_ref: int, now: datetime, seen_before: datetime) -> None:
    await tx.execute(
        "delete from console_sessions where operator_ref = $1 and (expires_at <= $2 or seen_at <= $3)",
        operator_ref,
        now,
        seen_before,
    )
