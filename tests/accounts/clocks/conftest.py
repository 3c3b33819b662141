import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from sitewright.accounts.clocks import advancing
from sitewright.kit.jobs import PeriodicTask
from sitewright.kit.resources import Resources
from tests.accounts.account_packages.conftest import ledger, user
from tests.support.cast import OTHER_BRAND
from tests.support.users import OwnerConnection

__all__ = ["ledger", "user"]


@pytest.fixture
async def in_test_mode(owner_connection: OwnerConnection, clean: None) -> None:
    """The brand of the client `other_brand`."""
    await owner_connection.execute("update brands set test_mode = true where brand_ref = $1", OTHER_BRAND)


@pytest.fixture
async def moving(resources: Resources, in_test_mode: None) -> AsyncIterator[None]:
    async with worker(resources):
        yield


@asynccontextmanager
async def worker(resources: Resources) -> AsyncIterator[None]:
    """It moves clocks."""
    stopping = asyncio.Event()
    running = asyncio.create_task(
        PeriodicTask("test clocks", 0.01, advancing.continue_advances).run(resources, stopping)
    )
    yield
    stopping.set()
    await running
