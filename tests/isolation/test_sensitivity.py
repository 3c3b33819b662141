"""The matrix is sensitive: without the conditions that restrict callers to their own objects, its cells differ."""

import pytest

from sitewright.app import ENDPOINTS
from sitewright.kit.resources import Resources
from tests.isolation.layers import DELETION_CONDITION, PARENT_CONDITION, RESELLER_CONDITION, Rewritten, without_layers
from tests.isolation.matrix import Cell, cells_of
from tests.isolation.requests import variants_of
from tests.isolation.stage import Restoring, open_stage
from tests.isolation.world import OWNER, RESELLER, Actor, World
from tests.support.cast import Cast
from tests.support.depth import share
from tests.support.users import OwnerConnection


def cells_for(actor: Actor, reason: str) -> list[Cell]:
    every = [cell for endpoint in ENDPOINTS for variant in variants_of(endpoint) for cell in cells_of(variant, actor)]
    return [cell for cell in every if cell.reason.name == reason]


@pytest.mark.parametrize(
    ("conditions", "actor", "reason", "enough"),
    [
        (RESELLER_CONDITION, RESELLER, "other reseller", 70),
        (RESELLER_CONDITION, RESELLER, "no reseller", 70),
        (DELETION_CONDITION, OWNER, "soft-deleted", 50),
        (DELETION_CONDITION, OWNER, "soft-deleted, of a user", 30),
        (PARENT_CONDITION, OWNER, "other user", 15),
    ],
    ids=["reseller", "no reseller", "deletion", "deletion of things", "parent"],
)
async def test_without_the_conditions_cells_differ(
    owner_connection: OwnerConnection, resources: Resources, database_url: str, cast: Cast, world: World,
    restoring: Restoring, conditions: str, actor: Actor, reason: str, enough: int,
) -> None:  # fmt: skip
    mutant = without_layers(resources, database_url, Rewritten(conditions))
    found, enough = 0, share(3, enough)
    async with open_stage(mutant, cast, world, owner_connection, restoring, checked=False) as stage:
        [caller] = stage.of(actor)
        for cell in cells_for(actor, reason):
            if await caller.differs(cell):
                found += 1
                await stage.restore()
            if found == enough:
                break
    await mutant.database.close()
    assert found == enough
