"""The world is created once for each test file, and restored after each test that changes it."""

from collections.abc import AsyncIterator
from functools import partial

import pytest

from sitewright.accounts.clocks import service as clocks
from sitewright.kit.resources import Resources
from tests.isolation.stage import Restoring, Stage, open_stage
from tests.isolation.world import World, make_world
from tests.support.cast import Cast
from tests.support.database import keep_as_baseline
from tests.support.users import OwnerConnection


@pytest.fixture(autouse=True)
def no_waiting_for_clocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """No worker moves them here."""
    monkeypatch.setattr(clocks, "WAIT_SECONDS", 0.0)


@pytest.fixture(scope="module")
async def world(owner_connection: OwnerConnection, resources: Resources, cleaning: str) -> AsyncIterator[World]:
    made = await make_world(owner_connection, resources)
    yield made
    await owner_connection.execute(cleaning)


@pytest.fixture(scope="module")
async def restoring(owner_connection: OwnerConnection, without_triggers: OwnerConnection, world: World) -> Restoring:
    return partial(without_triggers.execute, await keep_as_baseline(owner_connection, kept_in="world"))


@pytest.fixture(scope="module")
async def stage(
    owner_connection: OwnerConnection, resources: Resources, cast: Cast, world: World, restoring: Restoring
) -> AsyncIterator[Stage]:
    """The unmodified service."""
    async with open_stage(resources, cast, world, owner_connection, restoring) as opened:
        yield opened
