from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction


class HashRow(msgspec.Struct, frozen=True):
    """A log-in hash and whom it is for."""

    user_ref: int
    site_ref: int | None
    is_usable: bool


class Candidate(msgspec.Struct, frozen=True):
    """An account holder of the user name that was asked for."""

    brand_ref: int
    user_ref: int
    password_hash: str | None


class Holder(msgspec.Struct, frozen=True):
    user_ref: int
    language_code: str
    password_hash: str | None
    is_suspended: bool
    is_gone: bool
    """Deleted or anonymised."""
    reseller_ref: int | None


class Visitor(msgspec.Struct, frozen=True):
    """An account holder who is logged in."""

    user_ref: int
    first_name: str
    last_name: str
    language_code: str
    reseller_ref: int | None


async def find_hash(tx: Transaction, digest: bytes, now: datetime) -> HashRow | None:
    row = await tx.fetchrow(
        "select user_ref, site_ref, used_at is null and expires_at > $2 from one_time_tokens"
        " where brand_ref = current_brand() and digest = $1 and kind = 'login'",
        digest,
        now,
    )
    return None if row is None else HashRow(*row)


async def lock_holder(tx: Transaction, user_ref: int) -> Holder | None:
    """Whoever changes the password or the state of the user waits, and then finds the session that is begun."""
    row = await tx.fetchrow(
        "select ref, language_code, password_hash, suspended_at is not null,"
        " deleted_at is not null or anonymised_at is not null, reseller_ref"
        " from users where brand_ref = current_brand() and ref = $1 for no key update",
        user_ref,
    )
    return None if row is None else Holder(*row)


async def set_last_login(tx: Transaction, user_ref: int, at: datetime) -> None:
    await tx.execute("update users set last_login_at = $2 where brand_ref = current_brand() and ref = $1", user_ref, at)


async def insert_session(
    tx: Transaction, digest: bytes, user_ref: int, created_at: datetime, expires_at: datetime
) -> None:
    await tx.execute(
        "insert into sessions (brand_ref, digest, user_ref, created_at, expires_at)"
        " values (current_brand(), $1, $2, $3, $4)",
        digest,
        user_ref,
        created_at,
        expires_at,
    )


async def delete_session(tx: Transaction, digest: bytes) -> tuple[int, int | None] | None:
    """Whose it was, and the reseller of theirs."""
    row = await tx.fetchrow(
        "delete from sessions s using users u where s.brand_ref = current_brand() and s.digest = $1"
        " and u.brand_ref = s.brand_ref and u.ref = s.user_ref returning u.ref, u.reseller_ref",
        digest,
    )
    return None if row is None else (row["ref"], row["reseller_ref"])


async def find_visitor(tx: Transaction, session_digest: bytes, now: datetime) -> Visitor | None:
    """Of a session that has not ended, of a user who may log in."""
    row = await tx.fetchrow(
        "select u.ref, u.first_name, u.last_name, u.language_code, u.reseller_ref"
        " from sessions s join users u on u.brand_ref = s.brand_ref and u.ref = s.user_ref"
        " where s.brand_ref = current_brand() and s.digest = $1 and s.expires_at > $2"
        " and u.suspended_at is null and u.deleted_at is null and u.anonymised_at is null",
        session_digest,
        now,
    )
    return None if row is None else Visitor(*row)


async def find_brand_of_host(connection: Transaction, host: str) -> int | None:
    brand_ref: int | None = await connection.fetchval("select brand_of_host($1)", host)
    return brand_ref


async def list_candidates(connection: Transaction, username_key: str, brand_ref: int | None) -> list[Candidate]:
    """Of one brand, or of all."""
    rows = await connection.fetch("select * from log_in_candidates($1, $2)", username_key, brand_ref)
    return [Candidate(*row) for row in rows]
