"""Brands are isolated twice: by conditions in the statements, and by row-level security, which alone is sufficient."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sitewright.app import ENDPOINTS
from sitewright.kit.http import Endpoint
from sitewright.kit.resources import Resources
from tests.isolation.layers import Rewritten, copy_functions, drop_copies, without_layers
from tests.isolation.matrix import cells_of
from tests.isolation.requests import variants_of
from tests.isolation.stage import Restoring, Stage, open_stage
from tests.isolation.world import OTHER_BRANDS, OWNER, World
from tests.support.cast import Cast
from tests.support.depth import DEEP
from tests.support.users import OwnerConnection

WITHOUT_CONDITIONS = {"POST /ssl-certs/{domain:str}/domain-validation"}
"""It calls functions that read across brands, and inserts."""
ISOLATED_OTHERWISE = {"brand", "host", "hosts", "username", "email", "resetHash"}
"""Brands are compared before the database is queried; hosts are looked up by functions that filter themselves;
forgotten passwords are looked up later, by a job; a hash names its brand."""
EVERY_ENDPOINT = pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.name)


@pytest.fixture(scope="module")
async def functions(owner_connection: OwnerConnection) -> AsyncIterator[list[str]]:
    """The names of functions that have copies without brand conditions."""
    copied = await copy_functions(owner_connection)
    yield copied
    await drop_copies(owner_connection, copied)


@pytest.fixture(scope="module")
def rewritten(functions: list[str]) -> Rewritten:
    return Rewritten(functions=functions)


@pytest.fixture(scope="module")
async def unfiltered(
    owner_connection: OwnerConnection, resources: Resources, database_url: str, cast: Cast, world: World,
    restoring: Restoring, rewritten: Rewritten,
) -> AsyncIterator[Stage]:  # fmt: skip
    """The service without the brand conditions in its statements."""
    mutant = without_layers(resources, database_url, rewritten)
    async with open_stage(mutant, cast, world, owner_connection, restoring) as opened:
        yield opened
    await mutant.database.close()


@pytest.fixture(scope="module")
async def unprotected(
    owner_connection: OwnerConnection, resources: Resources, database_url: str, cast: Cast, world: World,
    restoring: Restoring, functions: list[str],
) -> AsyncIterator[Stage]:  # fmt: skip
    """The service without those, and without row-level security."""
    rewritten = Rewritten(functions=functions)
    mutant = without_layers(resources, database_url, rewritten, row_level_security=False)
    async with open_stage(mutant, cast, world, owner_connection, restoring, checked=False) as opened:
        yield opened
    await mutant.database.close()


@EVERY_ENDPOINT
async def test_row_level_security_alone_isolates_brands(
    unfiltered: Stage, rewritten: Rewritten, endpoint: Endpoint
) -> None:
    before, found = await unfiltered.fingerprint(), []
    rewritten.changed.clear()
    for caller in unfiltered.callers if DEEP else unfiltered.of(OWNER):
        for variant in variants_of(endpoint):
            found += [await caller.differs(cell) for cell in cells_of(variant, caller.actor, OTHER_BRANDS)]
    await unfiltered.work()
    assert await unfiltered.fingerprint() == before
    for caller in unfiltered.of(OWNER):
        found += [await caller.misses(variant, ()) for variant in variants_of(endpoint)]
        await unfiltered.restore_after(endpoint.method)
    assert [each for each in found if each is not None] == []
    assert (rewritten.changed == {}) is (endpoint.name in WITHOUT_CONDITIONS)


@EVERY_ENDPOINT
async def test_without_both_layers_brands_are_not_isolated(unprotected: Stage, endpoint: Endpoint) -> None:
    """This shows that the tests above would detect a missing policy."""
    [caller], [variant, *_] = unprotected.of(OWNER), variants_of(endpoint)
    if {slot.kind for slot in variant.slots} - ISOLATED_OTHERWISE:
        assert any([await caller.differs(cell) for cell in cells_of(variant, OWNER, OTHER_BRANDS[:1])])
        await unprotected.restore_after(endpoint.method)


def test_functions_that_lock_rows_have_copies(functions: list[str]) -> None:
    assert {"lock_site", "lock_users", "lock_free_users"} <= set(functions)


def test_every_brand_condition_in_statements_is_removed() -> None:
    statements = "".join(path.read_text() for path in Path("src/sitewright").rglob("*.py"))
    assert statements.count("current_brand()") > 200
    left = Rewritten().without_conditions(statements)
    assert re.findall(r".{40}(?:=|<>|from|in) *\(?current_brand\(\)|current_brand\(\) *(?:=|<>|in\b).{40}", left) == []
