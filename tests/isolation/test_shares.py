"""The share of a common resource, database connections, that one brand can use."""

import asyncio

import asyncpg
import httpx

from sitewright.kit.resources import Resources
from tests.support.cast import OWN_BRAND
from tests.support.eventually import eventually
from tests.support.sites import make_site
from tests.support.timeouts import HANG_SECONDS
from tests.support.users import OwnerConnection


async def test_a_brand_whose_calls_all_wait_leaves_connections_to_the_others(
    database_url: str,
    owner_connection: OwnerConnection,
    resources: Resources,
    owner: httpx.AsyncClient,
    other_brand: httpx.AsyncClient,
) -> None:
    pool, size = resources.database.pool, resources.settings.database_connections
    site_ref = await make_site(owner_connection, resources)
    locking = await asyncpg.connect(database_url)
    async with locking.transaction():
        await locking.execute("select from sites where ref = $1 for update", site_ref)
        calls = [asyncio.create_task(owner.put(f"/sites/{site_ref}", json={"enabled": 1})) for _ in range(2 * size)]
        await eventually(lambda: not pool.has_room(OWN_BRAND))
        response = await asyncio.wait_for(other_brand.get("/brands/2/languages"), HANG_SECONDS)
        assert response.status_code == 200
        assert not any(call.done() for call in calls)
    await locking.close()
    assert {(await call).status_code for call in calls} == {200}
