"""Refs of others get the same response as nonexistent ones: every route, every slot, every reason, every caller."""

import httpx
import pytest

from sitewright.app import ENDPOINTS
from sitewright.kit.http import Endpoint
from tests.isolation.matrix import cells_of
from tests.isolation.requests import request_for, variants_of
from tests.isolation.stage import Stage
from tests.isolation.world import BY_OAUTH
from tests.support.depth import DEEP

EVERY_ENDPOINT = pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.name)


@EVERY_ENDPOINT
async def test_refs_of_others_get_the_response_to_nonexistent_ones(stage: Stage, endpoint: Endpoint) -> None:
    before, found = await stage.fingerprint(), []
    for caller in stage.callers:
        for variant in variants_of(endpoint):
            found += [await caller.differs(cell) for cell in cells_of(variant, caller.actor)]
    assert [each for each in found if each is not None] == []
    await stage.work()
    assert await stage.fingerprint() == before


@EVERY_ENDPOINT
async def test_own_refs_succeed_and_reveal_nothing_of_others(stage: Stage, endpoint: Endpoint) -> None:
    """Otherwise the test above would prove nothing."""
    found = []
    for caller in stage.callers:
        if caller.actor.role in endpoint.roles and (DEEP or caller.actor in BY_OAUTH):
            for variant in variants_of(endpoint):
                for slots in [(), *((slot,) for slot in variant.slots if slot.place != "header")]:
                    found.append(await caller.misses(variant, slots))
                    await stage.restore_after(endpoint.method)
    assert [each for each in found if each is not None] == []


@EVERY_ENDPOINT
async def test_requests_without_credentials_are_refused(stage: Stage, endpoint: Endpoint) -> None:
    [variant, *_] = variants_of(endpoint)
    own = stage.world.own(stage.callers[0].actor)
    request = request_for(variant, {slot: own[slot.kind] for slot in variant.always})
    async with httpx.AsyncClient(transport=stage.transport, base_url="http://127.0.0.1") as anonymous:
        response = await anonymous.request(request.method, request.path, params=request.query, json=request.body)
    assert response.status_code == 401
