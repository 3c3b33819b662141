"""Account holders' pages: others' objects get the same response as nonexistent ones, in every parameter of every
page."""

from collections.abc import AsyncIterator

import pytest

from sitewright.app import PUBLIC
from sitewright.kit.http.public import PublicRoute
from tests.isolation.matrix import cells_of
from tests.isolation.pages import HOLDER, Holder, variant_of_page
from tests.isolation.slots import slots_of
from tests.isolation.stage import Stage

OF_NOBODY = {
    "GET /login",
    "POST /login",
    "GET /forgotten-password",
    "POST /forgotten-password",
    "GET /template-picker",
    "GET /resources/brands/{brand_ref:int}/{picture:str}",
    "GET /account/media/{file:str}",
    "GET /help/editor",
}
"""A brand is chosen before authentication; `/template-picker` only redirects; the user guide shows a brand's public
appearance and nothing else; the pictures of brands are public, and
those of sites for all who know their names, which cannot be guessed (`tests/sites/media/test_own_host.py`)."""
PAGES = [
    route
    for route in PUBLIC
    if (slots_of(route) or route.tag == "account") and route.tag != "console" and route.name not in OF_NOBODY
]
"""Those of the console: `test_console_pages.py`."""
BY_MAILED_LINK = {"GET /verify-email", "POST /verify-email"}
"""They need the secret of a mailed link, not a session: without it, the caller's own refs get the same response as any
others."""
DELETING = {
    "POST /account/sites/{site_ref:int}/domains/{domain_ref:int}/disconnect",
    "POST /account/messages/{message_ref:int}/delete",
    "POST /account/domains/{account_domain_ref:int}/records/{record_ref:int}/delete",
    "POST /account/sites/{site_ref:int}/edit/media/{media_ref:int}/delete",
    "POST /account/sites/{site_ref:int}/edit/preview-links/{preview_link_ref:int}/delete",
    "POST /account/sites/{site_ref:int}/edit/redirects/{redirect_ref:int}/delete",
}
"""They succeed only once for the same object."""
EVERY_PAGE = pytest.mark.parametrize("route", PAGES, ids=lambda route: route.name)


@pytest.fixture
async def holder(stage: Stage) -> AsyncIterator[Holder]:
    holder = await Holder.logged_in(stage)
    yield holder
    await holder.client.aclose()


@EVERY_PAGE
async def test_refs_of_others_get_the_page_of_nonexistent_ones(
    stage: Stage, holder: Holder, route: PublicRoute
) -> None:
    before, variant = await stage.fingerprint(), await variant_of_page(route, stage)
    found = [await holder.differs(cell) for cell in cells_of(variant, HOLDER)]
    assert [each for each in found if each is not None] == []
    assert await stage.fingerprint() == before


@pytest.mark.parametrize(
    "route", [route for route in PAGES if route.name not in BY_MAILED_LINK], ids=lambda route: route.name
)
async def test_own_refs_get_another_page(stage: Stage, holder: Holder, route: PublicRoute) -> None:
    variant = await variant_of_page(route, stage)
    found = []
    for slots in [(), *((slot,) for slot in variant.slots)]:
        if slots and route.name in DELETING:
            await stage.restore()
            holder = await Holder.logged_in(stage)
        found.append(await holder.misses(variant, slots))
    await stage.restore()
    assert [each for each in found if each is not None] == []


@EVERY_PAGE
async def test_an_own_deleted_site_gets_the_page_of_a_nonexistent_one(
    stage: Stage, holder: Holder, route: PublicRoute
) -> None:
    own, variant = stage.world.own(HOLDER), await variant_of_page(route, stage)
    await stage.owner.execute("update sites set deleted_at = now() where ref = $1", own["site"])
    for slot in variant.slots:
        if slot.kind == "site":
            assert await holder.response_to(variant, (slot,), own) == await holder.nonexistent(variant, (slot,))
    await stage.restore()
