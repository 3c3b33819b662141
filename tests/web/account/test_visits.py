"""`/account/sites/:siteRef/visits`: the visits to a site, where the package has statistics."""

import httpx

from sitewright.edge.statistics import service as statistics
from sitewright.edge.statistics.service import Views
from sitewright.kit.resources import Resources
from tests.support.browsing import page_text
from tests.support.cast import OWN_BRAND
from tests.support.packages import PRO
from tests.support.users import OwnerConnection, assign_package


async def test_a_package_without_statistics_says_so(visitor: httpx.AsyncClient, user: int, site: int) -> None:
    page = await visitor.get(f"/account/sites/{site}/visits")
    assert page.status_code == 200
    assert "Your package has no statistics" in page_text(page)
    assert '"/account/package"' in page.text


async def test_visits_pages_and_referrers_are_shown(
    visitor: httpx.AsyncClient, user: int, site: int, owner_connection: OwnerConnection, resources: Resources
) -> None:
    await assign_package(owner_connection, OWN_BRAND, user, PRO)
    page = await visitor.get(f"/account/sites/{site}/visits?days=7")
    assert "There is no data yet." in page_text(page)
    counts = {(site, "page", "menu"): Views(1234, 5), (site, "referrer", "<b>.example"): Views(3, 3)}
    await statistics.add(resources.database, OWN_BRAND, counts)
    page = await visitor.get(f"/account/sites/{site}/visits?days=7")
    text = page_text(page)
    for words in ("Visits 5", "Pages seen 1234", "/menu 1234", "<b>.example 3"):
        assert words in text
    assert page.text.count('aria-current="true"') == 1
    assert (await visitor.get(f"/account/sites/{site}/visits?days=8")).status_code == 200
