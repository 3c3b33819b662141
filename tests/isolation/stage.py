"""The world, the service that runs on it, and all callers."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager

import httpx

from sitewright.app import create_app
from sitewright.kit.resources import Resources
from tests.isolation.callers import Caller
from tests.isolation.world import ACTORS, Actor, World, auth_of
from tests.support import contract
from tests.support.cast import Cast
from tests.support.queued import run_queued_jobs
from tests.support.users import OwnerConnection

WRITTEN_ANYWAY = {"schema_files", "schema_migrations", "oauth_nonces", "authentication_failures", "trusted_addresses"}
"""Tables that are not compared: authentication writes to them with every request."""

Restoring = Callable[[], Awaitable[object]]
"""Restores the world."""


class Stage:
    def __init__(self, resources: Resources, owner: OwnerConnection, world: World, restoring: Restoring) -> None:
        self.resources, self.owner, self.world = resources, owner, world
        self.transport = httpx.ASGITransport(create_app(resources), client=("127.0.0.1", 1))
        self.callers: list[Caller] = []
        self._restoring, self._fingerprint = restoring, ""

    def of(self, *actors: Actor) -> list[Caller]:
        return [caller for caller in self.callers if caller.actor in actors]

    async def restore_after(self, method: str) -> None:
        if method != "GET":
            await self.restore()

    async def restore(self) -> None:
        """Check that every row is as it was when the world was created."""
        await self._restoring()

    async def work(self) -> None:
        await run_queued_jobs(self.owner, self.resources)

    async def fingerprint(self) -> dict[str, tuple[int, int]]:
        """For every table: the number of rows, and the sum of the transaction ids that wrote them."""
        if not self._fingerprint:
            tables = await self.owner.fetch(
                "select schemaname, tablename from pg_tables where schemaname in ('public', 'jobs')"
            )
            self._fingerprint = " union all ".join(
                f"select '{table}', count(*), coalesce(sum(xmin::text::bigint), 0)::bigint from {schema}.\"{table}\""
                for schema, table in tables
                if table not in WRITTEN_ANYWAY
            )
        return {table: (count, writers) for table, count, writers in await self.owner.fetch(self._fingerprint)}


@asynccontextmanager
async def open_stage(
    resources: Resources,
    cast: Cast,
    world: World,
    owner: OwnerConnection,
    restoring: Restoring,
    *,
    checked: bool = True,
) -> AsyncIterator[Stage]:
    """`checked`: responses are validated against the OpenAPI document."""
    stage = Stage(resources, owner, world, restoring)
    async with AsyncExitStack() as stack:
        for actor in ACTORS:
            client = httpx.AsyncClient(
                transport=stage.transport,
                base_url="http://127.0.0.1",
                auth=auth_of(actor, cast),
                event_hooks=contract.HOOKS if checked else None,
            )
            stage.callers.append(Caller(actor, await stack.enter_async_context(client), world))
        yield stage
