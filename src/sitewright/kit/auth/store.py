"""The statements of authentication. They look across brands, so each calls a named function of the database."""

from datetime import datetime, timedelta

import asyncpg
import msgspec

from sitewright.kit.db import Transaction


class CredentialRow(msgspec.Struct, frozen=True):
    """What the database knows of a consumer key; `credential_ref` is None when the key is unknown or revoked."""

    credential_ref: int | None
    brand_ref: int | None
    role: str | None
    reseller_ref: int | None
    access_token: str | None
    consumer_secret: bytes | None
    access_secret: bytes | None
    nonce_is_fresh: bool
    failures: int
    oldest_failure: datetime | None


class OperatorRow(msgspec.Struct, frozen=True):
    operator_ref: int | None
    brand_ref: int | None
    role: str | None
    password_hash: str | None
    failures: int
    oldest_failure: datetime | None


async def find_credential(
    connection: Transaction, consumer_key: str, nonce: str, address: str, window_seconds: int
) -> CredentialRow:
    """Uses the nonce up, also when the request is refused afterwards."""
    row = await connection.fetchrow(
        "select * from authenticate_oauth($1, $2, $3, $4)", consumer_key, nonce, address, window_seconds
    )
    return CredentialRow(*_one(row))


async def find_operator(connection: Transaction, username: str, address: str, window_seconds: int) -> OperatorRow:
    row = await connection.fetchrow("select * from authenticate_basic($1, $2, $3)", username, address, window_seconds)
    return OperatorRow(*_one(row))


async def record_failure(connection: Transaction, address: str, key: str) -> None:
    await connection.execute("select record_authentication_failure($1, $2)", address, key)


async def clear_failures(connection: Transaction, address: str, key: str) -> None:
    await connection.execute("select clear_authentication_failures($1, $2)", address, key)


async def prune(connection: Transaction, nonce_age: timedelta, failure_age: timedelta) -> None:
    await connection.execute("select prune_authentication($1, $2)", nonce_age, failure_age)


def _one(row: asyncpg.Record | None) -> asyncpg.Record:
    assert row is not None  # noqa: S101 - a function with OUT parameters returns exactly one row
    return row
