"""SQL of accounts at certificate authorities, which belong to the service, not to a brand."""

from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction


class Account(msgspec.Struct, frozen=True):
    directory: str
    sealed_key: bytes
    url: str | None
    unavailable_since: datetime | None


async def find(connection: Transaction, directory: str) -> Account | None:
    row = await connection.fetchrow(
        "select directory, sealed_key, url, unavailable_since from acme_accounts where directory = $1", directory
    )
    return None if row is None else Account(*row)


async def insert(connection: Transaction, directory: str, sealed_key: bytes, at: datetime) -> None:
    """Of several workers that begin at the same time, the first one's key counts."""
    await connection.execute(
        "insert into acme_accounts (directory, sealed_key, created_at) values ($1, $2, $3) on conflict do nothing",
        directory,
        sealed_key,
        at,
    )


async def save_url(connection: Transaction, directory: str, url: str | None) -> None:
    await connection.execute("update acme_accounts set url = $2 where directory = $1", directory, url)


async def save_unavailable(connection: Transaction, directory: str, at: datetime) -> datetime:
    """Returns since when the authority does not respond."""
    since: datetime | None = await connection.fetchval(
        "update acme_accounts set unavailable_since = coalesce(unavailable_since, $2) where directory = $1"
        " returning unavailable_since",
        directory,
        at,
    )
    return since or at


async def save_available(connection: Transaction, directory: str, clock_skew_seconds: int) -> None:
    await connection.execute(
        "update acme_accounts set unavailable_since = null, clock_skew_seconds = $2 where directory = $1"
        " and (unavailable_since is not null or abs(clock_skew_seconds - $2) > 60)",
        directory,
        clock_skew_seconds,
    )


async def list_states(connection: Transaction) -> list[tuple[str, datetime | None, int]]:
    """Directory, since when it does not respond, and the difference of the clocks in seconds; few rows."""
    rows = await connection.fetch("select directory, unavailable_since, clock_skew_seconds from acme_accounts")
    return [(row[0], row[1], row[2]) for row in rows]


async def read_problems(connection: Transaction) -> tuple[datetime | None, int]:
    """Since when an authority does not respond, and the largest difference between its clock and ours, in seconds."""
    row = await connection.fetchrow(
        "select min(unavailable_since), coalesce(max(abs(clock_skew_seconds)), 0) from acme_accounts"
        " where url is not null"
    )
    return (None, 0) if row is None else (row[0], row[1])
