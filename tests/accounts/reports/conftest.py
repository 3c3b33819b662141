"""The real service, with reports that are finished when a test lets them be."""

from collections.abc import AsyncIterator

import asyncpg
import msgspec
import pytest

from sitewright.kit.embedded import EmbeddedPostgres
from tests.accounts.reports.support import ask
from tests.support.service import Service, running_service
from tests.support.users import OwnerConnection


class Held(msgspec.Struct):
    """A report that stays pending until it is let go: its maker waits for a table."""

    service: Service
    path: str
    holding: OwnerConnection

    async def let_go(self) -> None:
        await self.holding.execute("rollback")

    async def end_leases(self) -> None:
        """As if their time had passed."""
        server = EmbeddedPostgres.running(self.service.data_dir)
        assert server is not None
        other = await asyncpg.connect(server.url)
        await other.execute("update user_reports set due_at = created_at")
        await other.close()

    @property
    def url(self) -> str:
        return f"{self.service.api_url}{self.path}"

    @property
    def basic(self) -> tuple[str, str]:
        basic = self.service.demo["brands"][0]["basic"]
        return basic["username"], basic["password"]


@pytest.fixture(scope="session")
async def service(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Service]:
    async with running_service(tmp_path_factory.mktemp("reports") / "data") as running:
        yield running


@pytest.fixture
async def held(service: Service) -> AsyncIterator[Held]:
    server = EmbeddedPostgres.running(service.data_dir)
    assert server is not None
    connection = await asyncpg.connect(server.url)
    await connection.execute("begin; lock table charges in access exclusive mode")
    async with service.client() as client:
        path = await ask(client)
    yield Held(service, path, connection)
    await connection.close()
