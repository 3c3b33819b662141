"""The database: a connection pool with the service role, and transactions bound to a brand.

Commits happen only here. Every tenant table has a row-level security policy that compares its `brand_ref` with the
brand set at the beginning of the transaction; without one, tenant tables appear empty.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Self, TypeAlias

import asyncpg

from sitewright.kit import clock
from sitewright.kit.failure_log import FailureLog
from sitewright.kit.fair_queue import Tenant
from sitewright.kit.plan_owners import PlanOwners
from sitewright.kit.pool import Connection, Pool
from sitewright.kit.primary import Hosts
from sitewright.kit.primary.watch import watch_primary
from sitewright.kit.problems import Busy, Unavailable
from sitewright.kit.service_login import NotTheServiceRole, ServiceLogin

Transaction: TypeAlias = Connection
"""A connection inside a transaction, or outside one where each statement commits on its own."""

DATABASE_OUTAGE = (
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.CannotConnectNowError,
    asyncpg.InsufficientResourcesError,  # connections, memory, disk space
    asyncpg.InternalClientError,  # a statement sent at the moment the server closes the connection
    asyncpg.QueryCanceledError,  # statement_timeout
    asyncpg.ReadOnlySQLTransactionError,  # after a failover: this server is no longer the primary
)
"""What the driver raises for a statement while the database is unavailable. Not OSError: for a broken connection the
driver raises ConnectionDoesNotExistError, so an OSError comes from other code and is a bug."""
NOT_ENDED = (
    asyncpg.QueryCanceledError,  # statement_timeout
    asyncpg.TransactionRollbackError,  # a deadlock
)
"""The transaction had no effect, and may succeed when it is repeated."""
NOT_CONNECTED = (OSError, asyncpg.PostgresError, asyncpg.InternalClientError)
NOT_MIGRATED = (asyncpg.UndefinedTableError, asyncpg.UndefinedColumnError, asyncpg.UndefinedFunctionError)
UNUSED_SECONDS = 30.0
_log = logging.getLogger("sitewright.database")


class Lease:
    """One connection for one request, acquired on first use, and released early before slow work.

    Raises `Unavailable` if the database cannot be reached, also halfway; `Busy` if all connections, or those of the
    brand's share, are in use, or if a statement timed out.
    """

    def __init__(self, database: "Database") -> None:
        self._database = database
        self._connection: Connection | None = None
        self._tenant: Tenant = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, _kind: type[BaseException] | None, error: BaseException | None, _trace: object) -> None:
        is_broken = self._connection is not None and self._connection.is_closed()
        self.release()
        if isinstance(error, NOT_ENDED):
            self._database.failures.report("a statement waited for others too long", error)
            raise Busy from error
        if isinstance(error, DATABASE_OUTAGE) or (isinstance(error, asyncpg.InterfaceError) and is_broken):
            self._database.failures.report("a statement failed because the database is unavailable", error)
            raise Unavailable from error
        if isinstance(error, NOT_MIGRATED):
            self._database.failures.report("the database does not fit this release", error)
            raise Unavailable("The database is not up to date. The operator must run: sitewright migrate") from error

    async def connection(self) -> Transaction:
        """Outside any transaction: each statement commits on its own."""
        return await self._connection_for(self._tenant)

    async def begin(self, brand_ref: int | None) -> Transaction:
        """The connection counts towards the brand's share of the pool until it is released."""
        connection = await self._connection_for(brand_ref)
        plans = self._database.plan_owners
        for statements in ["BEGIN"] if brand_ref is None else plans.begin(connection, brand_ref):
            await connection.execute(statements)
        return connection

    def count(self, connection: Connection, brand_ref: int | None, seconds: float) -> None:
        if brand_ref is not None:
            self._database.plan_owners.end(connection, brand_ref, seconds)

    async def _connection_for(self, tenant: Tenant) -> Connection:
        if self._connection is None:
            self._connection = await self._acquire(tenant)
            self._tenant = tenant
        elif tenant is not None and tenant != self._tenant:
            self._database.pool.charge(tenant, instead_of=self._tenant)
            self._tenant = tenant
        return self._connection

    async def _acquire(self, tenant: Tenant) -> Connection:
        try:
            return await self._database.pool.acquire(self._database.wait_seconds, tenant)
        except TimeoutError as error:
            self._database.failures.report("all database connections are busy", error)
            raise Busy("All database connections are busy. Repeat the request in a moment.") from error

    def transaction(self, brand_ref: int | None) -> "BrandTransaction":
        return BrandTransaction(self, brand_ref)

    def release_beyond_share(self, brand_ref: int | None) -> None:
        """For a request whose brand has just become known: beyond the brand's share it waits in the pool's queue."""
        if self._tenant is None and not self._database.pool.has_room(brand_ref):
            self.release()

    def release(self) -> None:
        if self._connection is None:
            return
        connection, self._connection = self._connection, None
        tenant, self._tenant = self._tenant, None
        if not connection.is_closed() and connection.is_in_transaction():  # the ROLLBACK itself failed
            connection.terminate()
        self._database.pool.release(connection, tenant)


class BrandTransaction:
    """One transaction for one brand (None: no brand's rows are visible). Any exception rolls it back."""

    def __init__(self, lease: Lease, brand_ref: int | None) -> None:
        self._lease = lease
        self._brand_ref = brand_ref

    async def __aenter__(self) -> Transaction:
        self._connection = await self._lease.begin(self._brand_ref)
        self._began = clock.stopwatch()  # waiting for a connection is no work
        return self._connection

    async def __aexit__(self, kind: type[BaseException] | None, _error: object, _trace: object) -> None:
        self._lease.count(self._connection, self._brand_ref, clock.stopwatch() - self._began)
        if kind is not None:
            await self._roll_back()
        elif await self._connection.execute("COMMIT") != "COMMIT":
            raise RuntimeError("an error inside this transaction was swallowed; everything was rolled back")

    async def _roll_back(self) -> None:
        """If ROLLBACK fails, terminate the connection; the original error is raised, not this one."""
        try:
            if not self._connection.is_closed():
                await self._connection.execute("ROLLBACK")
        except (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError):
            self._connection.terminate()


class Database:
    def __init__(
        self,
        connect: Callable[[], Awaitable[Connection]],
        *,
        connections: int,
        wait_seconds: float,
        failures: FailureLog | None = None,
        hosts: Hosts | None = None,
    ) -> None:
        self.connect = connect
        self._hosts = hosts
        self.failures = failures or FailureLog(_log)
        self.pool = Pool(connect, connections)
        self.plan_owners = PlanOwners()
        self.wait_seconds = wait_seconds

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        """During this block, if the URL names several hosts, connections to a former primary are ended."""
        watching: list[asyncio.Task[None]] = []
        if self._hosts is not None and self._hosts.are_several:
            watching.append(asyncio.create_task(watch_primary(self._hosts, self.connect)))
        try:
            yield
        finally:
            for task in watching:
                task.cancel()
            await asyncio.gather(*watching, return_exceptions=True)

    def lease(self) -> Lease:
        return Lease(self)

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Transaction]:
        async with self.lease() as lease:
            yield await lease.connection()

    @asynccontextmanager
    async def transaction(self, brand_ref: int | None) -> AsyncIterator[Transaction]:
        async with self.lease() as lease, lease.transaction(brand_ref) as transaction:
            yield transaction

    @asynccontextmanager
    async def closing_unused(self) -> AsyncIterator[None]:
        """While the block runs, connections that a burst of work has left behind are closed after a while."""
        closing = asyncio.create_task(self._close_unused())
        try:
            yield
        finally:
            closing.cancel()
            with suppress(asyncio.CancelledError):
                await closing

    async def _close_unused(self) -> None:
        while True:
            await asyncio.sleep(UNUSED_SECONDS)
            await self.pool.close_unused()

    async def close(self) -> None:
        await self.pool.close()


def open_database(
    url: str,
    *,
    connections: int,
    wait_seconds: float,
    name: str,
    own_role: bool = True,
) -> Database:
    """Connects on first use, so that a process can start, and respond 503, while the database is unavailable.

    `own_role` is explained at `ServiceLogin`.
    """
    failures = FailureLog(_log)
    log_in = ServiceLogin(url, own_role=own_role, name=name, wait_seconds=wait_seconds)

    async def connect() -> Connection:
        try:
            return await log_in.connect()
        except asyncpg.InvalidParameterValueError as error:  # there is no such role yet
            failures.report("the database does not fit this release", error)
            raise Unavailable("The database is not up to date. The operator must run: sitewright migrate") from error
        except (*NOT_CONNECTED, asyncpg.InterfaceError, NotTheServiceRole) as error:
            failures.report("no connection to the database", error)
            raise Unavailable from error

    return Database(connect, connections=connections, wait_seconds=wait_seconds, failures=failures, hosts=log_in.hosts)
