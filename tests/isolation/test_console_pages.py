"""Pages of the console: objects of other brands get the same response as nonexistent ones."""

from collections.abc import AsyncIterator
from typing import Any, Self

import httpx
import pytest

from sitewright.app import PUBLIC
from sitewright.kit.auth.caller import Role
from sitewright.kit.http.public import PublicRoute
from tests.isolation.callers import Caller
from tests.isolation.matrix import cells_of
from tests.isolation.requests import Request, default_variant
from tests.isolation.slots import slots_of
from tests.isolation.stage import Stage
from tests.isolation.world import OTHER_BRANDS, Actor
from tests.support import contract
from tests.support.operators import log_in_operator, token_of

STAFF = Actor(name="brand-admin, console", role=Role.BRAND_ADMIN, own="ownqq", reasons=OTHER_BRANDS)
OF_SYSTEM_OWNERS = {"POST /console/brand"}
"""They may choose any brand; others are refused: `tests/web/console/test_log_in.py`."""
PAGES = [route for route in PUBLIC if route.tag == "console" and slots_of(route) and route.name not in OF_SYSTEM_OWNERS]
OF_ONESELF = {"POST /console/me/sessions/{session_ref:int}/end"}
"""The sessions of colleagues get the same response, too: `tests/web/console/test_me.py`."""


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


@pytest.mark.parametrize("route", PAGES, ids=lambda route: route.name)
async def test_refs_of_other_brands_get_the_page_of_nonexistent_ones(
    stage: Stage, staff: StaffCaller, route: PublicRoute
) -> None:
    before, variant = await stage.fingerprint(), default_variant(route)
    found = [await staff.differs(cell) for cell in cells_of(variant, STAFF)]
    assert [each for each in found if each is not None] == []
    assert len(found) > 0
    assert await stage.fingerprint() == before


@pytest.mark.parametrize(
    "route",
    [route for route in PAGES if route.name not in OF_ONESELF],
    ids=lambda route: route.name,
)
async def test_own_refs_get_another_page(stage: Stage, staff: StaffCaller, route: PublicRoute) -> None:
    variant = default_variant(route)
    found = [await staff.misses(variant, (slot,)) for slot in variant.slots]
    assert [each for each in found if each is not None] == []
