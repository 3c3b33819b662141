"""The real service, with reports that stay pending until a test releases them."""

from collections.abc import AsyncIterator

import asyncpg
import msgspec
import pytest

from sitewright.kit.embedded import EmbeddedPostgres
from tests.accounts.reports.support import request_report
from tests.support.service import Service, running_service
from tests.support.users import OwnerConnection


class BlockedReport(msgspec.Struct):
    """A report that stays pending until it is released: the worker waits for a table lock."""

    service: Service
    path: str
    lock_holder: OwnerConnection

    async def release(self) -> None:
        await self.lock_holder.execute("rollback")

    async def end_leases(self) -> None:
        """Expires all leases."""
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


@pytest.fixture(scope="package")
async def service(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Service]:
    async with running_service(tmp_path_factory.mktemp("reports") / "data") as running:
        yield running


@pytest.fixture
async def blocked(service: Service) -> AsyncIterator[BlockedReport]:
    server = EmbeddedPostgres.running(service.data_dir)
    assert server is not None
    connection = await asyncpg.connect(server.url, server_settings={"idle_in_transaction_session_timeout": "0"})
    await connection.execute("begin; lock table charges in access exclusive mode")
    async with service.client() as client:
        path = await request_report(client)
    yield BlockedReport(service, path, connection)
    await connection.close()
