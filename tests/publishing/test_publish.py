"""POST /sites/:siteRef/publish."""

import gzip

import httpx

from sitewright.kit.resources import Resources
from tests.support.cast import OWN_BRAND
from tests.support.sites import make_page, make_site
from tests.support.users import OwnerConnection


async def test_a_publish_makes_a_snapshot_and_sets_the_site_live(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    site_ref = await make_site(owner_connection, resources)
    await make_page(owner_connection, OWN_BRAND, site_ref, title="Hello")
    answer = await owner.post(f"/sites/{site_ref}/publish")
    assert (answer.status_code, answer.json()["versionRef"]) == (200, 1), answer.text
    body = await owner_connection.fetchval("select body from site_files where site_ref = $1 and path = ''", site_ref)
    assert b"Hello" in gzip.decompress(body)
    site = (await owner.get(f"/sites/{site_ref}")).json()["site"]
    assert (site["live"], site["lastPublish"]) == (True, answer.json()["lastPublish"])
