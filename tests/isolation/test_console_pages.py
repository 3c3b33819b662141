"""Pages of the console: objects of other brands get the same response as nonexistent ones."""

from collections.abc import AsyncIterator
from typing import Any, Self

import httpx
import pytest

from sitewright.app import PUBLIC
from sitewright.kit.auth.caller import Role
from sitewright.kit.http.public import PublicRoute
from tests.isolation.callers import Caller
from tests.isolation.matrix import Cell, cells_of
from tests.isolation.requests import Request, RequestVariant, default_variant
from tests.isolation.slots import slots_of
from tests.isolation.stage import Stage
from tests.isolation.world import OTHER_BRANDS, Actor
from tests.support import contract
from tests.support.operators import log_in_operator, token_of

STAFF = Actor(name="brand-admin, console", role=Role.BRAND_ADMIN, own="ownqq", reasons=OTHER_BRANDS)
OF_SYSTEM_OWNERS = {"POST /console/brand", "GET /console/audit/system/{audit_ref:int}"}
"""They may choose any brand, and see what belongs to none; others are refused: `tests/web/console/`."""
OF_SMALL_REFS = {"GET /console/catalogue/packages/{package_ref:int}"}
"""Refs of packages have one digit here, which pages contain elsewhere, too: `tests/web/console/test_catalogue.py`."""
PAGES = [
    route
    for route in PUBLIC
    if route.tag == "console" and slots_of(route) and route.name not in OF_SYSTEM_OWNERS | OF_SMALL_REFS
]
OF_ONESELF = {"POST /console/me/sessions/{session_ref:int}/end"}
"""The sessions of colleagues get the same response, too: `tests/web/console/test_me.py`."""


DELETING = {
    "POST /console/certificates/{certificate_ref:int}/remove",
    "POST /console/resellers/{reseller_ref:int}/delete",
    "POST /console/domains/{account_domain_ref:int}/records/{record_ref:int}/delete",
    "POST /console/resellers/{reseller_ref:int}/prices/{price_ref:int}/delete",
}
"""They succeed only once for the same object."""
SMALL_NUMBERS = {"package", "language"}
"""Their refs are part of other numbers of a page, so pages cannot be compared without them: each feature's own tests
compare what the forms say."""


class StaffCaller(Caller):
    """Sends forms, each with the token of the session."""

    token = ""

    @classmethod
    async def logged_in(cls, stage: Stage) -> Self:
        client = httpx.AsyncClient(transport=stage.transport, base_url="http://127.0.0.1", event_hooks=contract.HOOKS)
        caller = cls(STAFF, client, stage.world)
        assert (await log_in_operator(client, "brand-admin")).status_code == 303
        caller.token = await token_of(client)
        return caller

    async def _send_body(self, request: Request, headers: dict[str, str], body: dict[str, Any]) -> httpx.Response:
        form = {name: str(value) for name, value in (body | {"token": self.token}).items()}
        return await self.client.request(request.method, request.path, headers=headers, data=form)


@pytest.fixture
async def staff(stage: Stage) -> AsyncIterator[StaffCaller]:
    caller = await StaffCaller.logged_in(stage)
    yield caller
    await caller.client.aclose()
    await stage.restore()


def _cells(variant: RequestVariant) -> list[Cell]:
    found = list(cells_of(variant, STAFF))
    return [cell for cell in found if not any(slot.kind in SMALL_NUMBERS for slot in cell.slots)]


@pytest.mark.parametrize("route", PAGES, ids=lambda route: route.name)
async def test_refs_of_other_brands_get_the_page_of_nonexistent_ones(
    stage: Stage, staff: StaffCaller, route: PublicRoute
) -> None:
    before, variant = await stage.fingerprint(), default_variant(route)
    found = [await staff.differs(cell) for cell in _cells(variant)]
    assert [each for each in found if each is not None] == []
    assert len(found) > 0 or {slot.kind for slot in variant.slots} <= SMALL_NUMBERS
    assert await stage.fingerprint() == before


@pytest.mark.parametrize(
    "route",
    [route for route in PAGES if route.name not in OF_ONESELF],
    ids=lambda route: route.name,
)
async def test_own_refs_get_another_page(stage: Stage, staff: StaffCaller, route: PublicRoute) -> None:
    variant, found = default_variant(route), []
    for slot in variant.slots:
        found.append(await staff.misses(variant, (slot,)))
        if route.name in DELETING:
            await stage.restore()
            staff = await StaffCaller.logged_in(stage)
    assert [each for each in found if each is not None] == []
