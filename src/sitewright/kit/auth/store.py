"""The statements of authentication. They span brands, so each calls a named database function."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import asyncpg
import msgspec

from sitewright.kit.db import Transaction


class CredentialRow(msgspec.Struct, frozen=True):
    """The credential of a consumer key; `credential_ref` is None if the key is unknown or revoked."""

    credential_ref: int | None
    brand_ref: int | None
    role: str | None
    reseller_ref: int | None
    access_token: str | None
    consumer_secret: bytes | None
    access_secret: bytes | None
    nonce_is_fresh: bool | None
    """None: the address is over its budget, and the nonce was not stored."""
    failures: int
    """Counted for this pair of address and key."""
    refused: bool
    retry_after: int | None
    is_enabled: bool | None
    """False if its reseller is disabled or deleted."""

    @property
    def name(self) -> str | None:
        return None if self.credential_ref is None else f"credential:{self.credential_ref}"


class OperatorRow(msgspec.Struct, frozen=True):
    operator_ref: int | None
    brand_ref: int | None
    role: str | None
    password_hash: str | None
    is_trusted: bool
    """The name has logged in from this address before."""
    retry_after: int | None
    """None while this pair of address and name is within its budget."""
    has_second_factor: bool | None

    @property
    def name(self) -> str | None:
        return None if self.operator_ref is None else f"operator:{self.operator_ref}"


class AddressRow(msgspec.Struct, frozen=True):
    is_trusted: bool
    """A log-in from this address has succeeded before."""
    retry_after: int | None
    """Seconds that an untrusted address must wait; None within its budget."""


class ReservationRow(msgspec.Struct, frozen=True):
    """`attempt` is None if a budget is spent, or if pending attempts may spend it (then `retry_after` is None too)."""

    attempt: int | None
    over_address: bool
    retry_after: int | None


class ReservedAttempt(msgspec.Struct, frozen=True):
    ref: int
    retry_after: int | None
    """Set if the address is over its budget: a wrong attempt then gets the rate-limit response."""


async def find_credential(
    connection: Transaction,
    consumer_key: str,
    nonce: str,
    address: str,
    pair_key: str,
    window_seconds: int,
    per_pair: int,
    per_address: int,
) -> CredentialRow:
    """Stores the nonce as used, even if the signature turns out to be wrong, but not beyond the rate limits."""
    row = await connection.fetchrow(
        "select * from authenticate_signature($1, $2, $3, $4, $5, $6, $7)",
        consumer_key,
        nonce,
        address,
        pair_key,
        window_seconds,
        per_pair,
        per_address,
    )
    return CredentialRow(*_one(row))


async def use_nonce(connection: Transaction, credential_ref: int, nonce: str) -> bool:
    """Store the nonce as used; returns whether it was new."""
    return await connection.fetchval("select use_oauth_nonce($1, $2)", credential_ref, nonce) is True


async def find_operator(
    connection: Transaction, username: str, address: str, pair_key: str, window_seconds: int, per_pair: int
) -> OperatorRow:
    row = await connection.fetchrow(
        "select * from find_operator($1, $2, $3, $4, $5)",
        username,
        address,
        pair_key,
        window_seconds,
        per_pair,
    )
    return OperatorRow(*_one(row))


async def reserve_attempt(
    connection: Transaction,
    realm: str,
    address: str,
    key: str,
    is_pending: bool,
    window_seconds: int,
    per_pair: int,
    per_address: int,
    address_cap: int,
    per_account: int | None,
) -> ReservationRow:
    row = await connection.fetchrow(
        "select * from reserve_attempt($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        realm,
        address,
        key,
        is_pending,
        window_seconds,
        per_pair,
        per_address,
        address_cap,
        per_account,
    )
    return ReservationRow(*_one(row))


async def release_attempt(connection: Transaction, attempt: int, *, clears: bool) -> None:
    """Do not count the attempt as a failure. `clears`: it succeeded, so delete the pair's failures and trust its
    address."""
    await connection.execute("select release_attempt($1, $2)", attempt, clears)


async def fail_attempt(connection: Transaction, attempt: int) -> None:
    await connection.execute("select fail_attempt($1)", attempt)


async def clear_failures(connection: Transaction, address: str, key: str) -> None:
    await connection.execute("select clear_authentication_failures($1, $2)", address, key)


async def check_log_in_address(
    connection: Transaction, realm: str, address: str, window_seconds: int, address_cap: int
) -> AddressRow:
    row = await connection.fetchrow(
        "select * from check_log_in_address($1, $2, $3, $4)", realm, address, window_seconds, address_cap
    )
    return AddressRow(*_one(row))


async def record_uses(
    connection: Transaction,
    credentials: Sequence[tuple[int | None, int]],
    operator_refs: Sequence[int],
    used_at: datetime,
) -> None:
    """`credentials`: their brands and refs."""
    brand_refs, refs = [brand_ref for brand_ref, _ in credentials], [ref for _, ref in credentials]
    await connection.execute("select record_uses($1, $2, $3, $4)", brand_refs, refs, operator_refs, used_at)


async def prune(tx: Transaction, nonce_age: timedelta, failure_age: timedelta, limit: int) -> int:
    """Delete expired nonces, failures and trusted addresses, at most `limit` of each; returns how many."""
    removed: int = await tx.fetchval("select prune_authentication($1, $2, $3)", nonce_age, failure_age, limit)
    return removed


def _one(row: asyncpg.Record | None) -> asyncpg.Record:
    assert row is not None  # noqa: S101 - a function with OUT parameters returns exactly one row
    return row
