"""The database: a pool of connections under the service role, and transactions that know their brand.

Commits happen here and nowhere else. Every tenant table has a row-level security policy that compares its
`brand_ref` with the brand set at the beginning of the transaction; without one, tenant tables look empty.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeAlias

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from sitewright.kit.problems import Unavailable

SERVICE_ROLE = "sitewright_service"

if TYPE_CHECKING:
    Transaction: TypeAlias = asyncpg.Connection[asyncpg.Record] | PoolConnectionProxy[asyncpg.Record]
else:  # at run time asyncpg's classes take no parameters
    Transaction = PoolConnectionProxy

DATABASE_AWAY = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.CannotConnectNowError,
    asyncpg.TooManyConnectionsError,
    asyncpg.InternalClientError,  # a statement sent in the moment the server closes the connection
)


class Database:
    def __init__(self, pool: "asyncpg.Pool[asyncpg.Record]", *, wait_seconds: float) -> None:
        self.pool = pool
        self._wait_seconds = wait_seconds

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Transaction]:
        """A connection outside any transaction: each statement commits on its own."""
        connection = await self._acquire()
        try:
            yield connection
        except DATABASE_AWAY as error:
            raise Unavailable from error
        except asyncpg.InterfaceError as error:
            if not _is_gone(connection):
                raise
            raise Unavailable from error
        finally:
            await self._release(connection)

    @asynccontextmanager
    async def transaction(self, brand_ref: int | None) -> AsyncIterator[Transaction]:
        """One transaction for one brand (None: no brand's rows can be seen). Any exception rolls it back."""
        async with self.connection() as connection:
            await connection.execute(_begin(brand_ref))
            try:
                yield connection
            except BaseException:
                if not _is_gone(connection):
                    await connection.execute("ROLLBACK")
                raise
            outcome = await connection.execute("COMMIT")
            if outcome != "COMMIT":
                raise RuntimeError("an error inside this transaction was swallowed; everything was rolled back")

    async def close(self) -> None:
        await self.pool.close()

    async def _acquire(self) -> "PoolConnectionProxy[asyncpg.Record]":
        try:
            return await self.pool.acquire(timeout=self._wait_seconds)
        except DATABASE_AWAY as error:  # among them the time-out, when every connection is busy
            raise Unavailable from error

    async def _release(self, connection: "PoolConnectionProxy[asyncpg.Record]") -> None:
        if not _is_gone(connection) and connection.is_in_transaction():  # the ROLLBACK itself failed
            connection.terminate()
        await self.pool.release(connection)


def _is_gone(connection: Transaction) -> bool:
    """A pool takes a broken connection back by itself; what we hold then answers every question with an error."""
    try:
        return connection.is_closed()
    except asyncpg.InterfaceError:
        return True


def _begin(brand_ref: int | None) -> str:
    """BEGIN and the brand in one round trip; `%d` lets nothing but an integer into the statement."""
    return "BEGIN" if brand_ref is None else "BEGIN; SET LOCAL sitewright.brand_ref = '%d'" % brand_ref  # noqa: UP031


async def open_database(url: str, *, connections: int, wait_seconds: float, name: str) -> Database:
    """Connects when first used, so that a process can start, and answer 503, while the database is away."""
    pool = await asyncpg.create_pool(
        url,
        min_size=0,
        max_size=connections,
        timeout=wait_seconds,
        command_timeout=60,
        reset=_nothing_to_reset,
        server_settings={"role": SERVICE_ROLE, "application_name": f"sitewright {name}", "jit": "off"},
    )
    return Database(pool, wait_seconds=wait_seconds)


async def _nothing_to_reset(_connection: object) -> None:
    """Settings here are local to a transaction, so returning a connection needs no round trip of its own."""
