"""The database: a pool of connections under the service role, and transactions that know their brand.

Commits happen here and nowhere else. Every tenant table has a row-level security policy that compares its
`brand_ref` with the brand set at the beginning of the transaction; without one, tenant tables look empty.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeAlias

import asyncpg

from sitewright.kit.pool import Connection, Pool
from sitewright.kit.problems import Unavailable

SERVICE_ROLE = "sitewright_service"

Transaction: TypeAlias = Connection
"""A connection inside a transaction, or outside one where each statement commits on its own."""

DATABASE_AWAY = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.CannotConnectNowError,
    asyncpg.TooManyConnectionsError,
    asyncpg.InternalClientError,  # a statement sent in the moment the server closes the connection
)


class Lease:
    """One connection for one request, taken when it is first needed, and given back early by whoever must wait."""

    def __init__(self, database: "Database") -> None:
        self._database = database
        self._connection: Connection | None = None

    async def connection(self) -> Transaction:
        """Outside any transaction: each statement commits on its own."""
        if self._connection is None:
            self._connection = await self._database.pool.acquire(self._database.wait_seconds)
        return self._connection

    @asynccontextmanager
    async def transaction(self, brand_ref: int | None) -> AsyncIterator[Transaction]:
        """One transaction for one brand (None: no brand's rows can be seen). Any exception rolls it back."""
        connection = await self.connection()
        await connection.execute(_begin(brand_ref))
        try:
            yield connection
        except BaseException:
            if not connection.is_closed():
                await connection.execute("ROLLBACK")
            raise
        outcome = await connection.execute("COMMIT")
        if outcome != "COMMIT":
            raise RuntimeError("an error inside this transaction was swallowed; everything was rolled back")

    def give_back(self) -> None:
        if self._connection is None:
            return
        connection, self._connection = self._connection, None
        if not connection.is_closed() and connection.is_in_transaction():  # the ROLLBACK itself failed
            connection.terminate()
        self._database.pool.release(connection)

    def is_broken(self) -> bool:
        return self._connection is not None and self._connection.is_closed()


class Database:
    def __init__(self, connect: Callable[[], Awaitable[Connection]], *, connections: int, wait_seconds: float) -> None:
        self.connect = connect
        self.pool = Pool(connect, connections)
        self.wait_seconds = wait_seconds

    @asynccontextmanager
    async def lease(self) -> AsyncIterator[Lease]:
        """A database that cannot be reached, now or half-way, is `Unavailable`."""
        lease = Lease(self)
        try:
            yield lease
        except DATABASE_AWAY as error:
            raise Unavailable from error
        except asyncpg.InterfaceError as error:
            if not lease.is_broken():
                raise
            raise Unavailable from error
        finally:
            lease.give_back()

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Transaction]:
        async with self.lease() as lease:
            yield await lease.connection()

    @asynccontextmanager
    async def transaction(self, brand_ref: int | None) -> AsyncIterator[Transaction]:
        async with self.lease() as lease, lease.transaction(brand_ref) as transaction:
            yield transaction

    async def close(self) -> None:
        await self.pool.close()


def _begin(brand_ref: int | None) -> str:
    """BEGIN and the brand in one round trip; `%d` lets nothing but an integer into the statement."""
    return "BEGIN" if brand_ref is None else "BEGIN; SET LOCAL sitewright.brand_ref = '%d'" % brand_ref  # noqa: UP031


def open_database(url: str, *, connections: int, wait_seconds: float, name: str) -> Database:
    """Connects when first used, so that a process can start, and answer 503, while the database is away."""

    async def connect() -> Connection:
        return await asyncpg.connect(url, timeout=wait_seconds, server_settings=_session(name))

    return Database(connect, connections=connections, wait_seconds=wait_seconds)


def _session(name: str) -> dict[str, str]:
    """Set in the start-up packet, so they are what RESET returns to. The time limit is the server's to keep."""
    return {
        "role": SERVICE_ROLE,
        "application_name": f"sitewright {name}",
        "statement_timeout": "60s",
        "jit": "off",
    }
