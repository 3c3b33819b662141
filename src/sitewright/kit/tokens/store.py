from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from sitewright.kit.data_export import DataExport
from sitewright.kit.db import Transaction


class Claimed(msgspec.Struct, frozen=True):
    user_ref: int
    site_ref: int | None


class FoundToken(msgspec.Struct, frozen=True):
    """A token and the user and site it is for."""

    user_ref: int
    site_ref: int | None
    is_usable: bool


class Session(msgspec.Struct, frozen=True):
    """A session of a user, without its secret."""

    created_at: datetime
    expires_at: datetime
    user_agent: str
    is_current: bool
    is_of_operator: bool
    """An operator of the console works as the user."""


class OperatorSession(msgspec.Struct, frozen=True):
    """A session in which an operator of the console works as a user, without its secret."""

    brand_ref: int
    user_ref: int
    operator_ref: int
    console_session_ref: int
    created_at: datetime
    expires_at: datetime


_OPERATOR_SESSION = "brand_ref, user_ref, operator_ref, console_session_ref, created_at, expires_at"


async def owner_of(tx: Transaction, digest: bytes) -> int | None:
    user_ref: int | None = await tx.fetchval(
        "select user_ref from one_time_tokens where brand_ref = current_brand() and digest = $1", digest
    )
    return user_ref


async def find_token(tx: Transaction, digest: bytes, kind: str, now: datetime) -> FoundToken | None:
    row = await tx.fetchrow(
        "select user_ref, site_ref, used_at is null and expires_at > $3 from one_time_tokens"
        " where brand_ref = current_brand() and digest = $1 and kind = $2",
        digest,
        kind,
        now,
    )
    return None if row is None else FoundToken(*row)


async def nth_newest(tx: Transaction, kind: str, user_ref: int, nth: int, since: datetime) -> datetime | None:
    issued: datetime | None = await tx.fetchval(
        "select created_at from one_time_tokens where brand_ref = current_brand() and user_ref = $1 and kind = $2"
        " and created_at > $3 order by created_at desc offset $4 - 1 limit 1",
        user_ref,
        kind,
        since,
        nth,
    )
    return issued


async def insert_session(
    tx: Transaction,
    digest: bytes,
    user_ref: int,
    created_at: datetime,
    expires_at: datetime,
    user_agent: str,
    operator_ref: int | None = None,
    console_session_ref: int | None = None,
) -> None:
    await tx.execute(
        "insert into sessions (brand_ref, digest, user_ref, created_at, expires_at, user_agent, operator_ref,"
        " console_session_ref) values (current_brand(), $1, $2, $3, $4, $5, $6, $7)",
        digest,
        user_ref,
        created_at,
        expires_at,
        user_agent,
        operator_ref,
        console_session_ref,
    )


async def list_sessions(tx: Transaction, user_ref: int, current: bytes, now: datetime) -> list[Session]:
    """A hundred at the most, newest first."""
    rows = await tx.fetch(
        "select created_at, expires_at, user_agent, digest = $2, operator_ref is not null from sessions"
        " where brand_ref = current_brand() and user_ref = $1 and expires_at > $3 order by created_at desc limit 100",
        user_ref,
        current,
        now,
    )
    return [Session(*row) for row in rows]


async def delete_session(tx: Transaction, digest: bytes) -> int | None:
    user_ref: int | None = await tx.fetchval(
        "delete from sessions where brand_ref = current_brand() and digest = $1 returning user_ref", digest
    )
    return user_ref


async def insert_token(
    tx: Transaction,
    digest: bytes,
    kind: str,
    brand_ref: int,
    user_ref: int,
    site_ref: int | None,
    created_at: datetime,
    expires_at: datetime,
) -> None:
    await tx.execute(
        "insert into one_time_tokens (digest, kind, brand_ref, user_ref, site_ref, created_at, expires_at)"
        " values ($1, $2, $3, $4, $5, $6, $7)",
        digest,
        kind,
        brand_ref,
        user_ref,
        site_ref,
        created_at,
        expires_at,
    )


async def claim_token(tx: Transaction, digest: bytes, kind: str, user_ref: int | None, now: datetime) -> Claimed | None:
    row = await tx.fetchrow(
        "update one_time_tokens set used_at = $4 where brand_ref = current_brand() and digest = $1 and kind = $2"
        " and ($3::bigint is null or user_ref = $3) and used_at is null and expires_at > $4"
        " returning user_ref, site_ref",
        digest,
        kind,
        user_ref,
        now,
    )
    return None if row is None else Claimed(*row)


async def issued_since(tx: Transaction, kind: str, user_refs: Sequence[int], since: datetime) -> dict[int, int]:
    """How many tokens of a kind were issued to each of the users."""
    rows = await tx.fetch(
        "select user_ref, count(*) from one_time_tokens where brand_ref = current_brand() and user_ref = any($1)"
        " and kind = $2 and created_at > $3 group by user_ref",
        user_refs,
        kind,
        since,
    )
    return {row["user_ref"]: row["count"] for row in rows}


async def revoke_tokens(tx: Transaction, user_ref: int, kinds: Sequence[str], now: datetime) -> None:
    await tx.execute(
        "update one_time_tokens set used_at = $3 where brand_ref = current_brand() and user_ref = $1"
        " and kind = any($2) and used_at is null",
        user_ref,
        kinds,
        now,
    )


async def delete_tokens(tx: Transaction, user_ref: int) -> None:
    await tx.execute("delete from one_time_tokens where brand_ref = current_brand() and user_ref = $1", user_ref)


async def delete_sessions(tx: Transaction, user_ref: int) -> list[OperatorSession]:
    """Delete all sessions of the user; returns those of operators."""
    return await _delete_operator_sessions(tx, "user_ref = $1", user_ref)


async def find_operator_session(tx: Transaction, digest: bytes) -> OperatorSession | None:
    row = await tx.fetchrow(
        f"select {_OPERATOR_SESSION} from sessions where brand_ref = current_brand() and digest = $1"  # noqa: S608
        " and operator_ref is not null",
        digest,
    )
    return None if row is None else OperatorSession(*row)


async def delete_operator_session(tx: Transaction, digest: bytes) -> list[OperatorSession]:
    return await _delete_operator_sessions(tx, "digest = $1 and operator_ref is not null", digest)


async def delete_expired_operator_sessions(tx: Transaction, now: datetime) -> list[OperatorSession]:
    return await _delete_operator_sessions(tx, "expires_at <= $1 and operator_ref is not null", now)


async def _delete_operator_sessions(tx: Transaction, condition: str, value: Any) -> list[OperatorSession]:
    """Delete the sessions that meet a condition, and return those of operators."""
    rows = await tx.fetch(
        f"with ended as (delete from sessions where brand_ref = current_brand() and {condition} returning *)"  # noqa: S608
        f" select {_OPERATOR_SESSION} from ended where operator_ref is not null order by created_at",
        value,
    )
    return [OperatorSession(*row) for row in rows]


async def brands_with_expired_operator_sessions(tx: Transaction, now: datetime) -> list[int]:
    return [row[0] for row in await tx.fetch("select brands_with_expired_operator_sessions($1)", now)]


async def prune(tx: Transaction, older_than: datetime, limit: int) -> int:
    """Delete expired tokens and sessions, at most `limit` of each; returns how many."""
    removed: int = await tx.fetchval("select prune_expired_tokens($1, $2)", older_than, limit)
    return removed


async def export_user(tx: Transaction, export: DataExport) -> None:
    """Sessions, without their secrets."""
    await export.write(
        "sessions.json",
        tx.cursor(
            'select row_to_json(x)::text from (select created_at as "created", expires_at as "expires",'
            ' user_agent as "browser", operator_ref is not null as "support" from sessions'
            " where brand_ref = current_brand() and user_ref = $1"
            " order by created_at) x",
            export.user_ref,
        ),
    )
