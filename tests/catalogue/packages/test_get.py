"""GET /packages/:packageRef."""

import httpx
import pytest

from tests.catalogue.packages.shapes import NONE, PACKAGE, assert_shape
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.responses import problem_in

FOREIGN_PACKAGE = 6


async def test_a_single_package_equals_the_listed_one_except_for_url_id(owner: httpx.AsyncClient) -> None:
    listed = (await owner.get(f"/brands/{OWN_BRAND}/packages")).json()["packages"]
    for expected in listed:
        response = await owner.get(f"/packages/{expected['ref']}")
        assert response.status_code == 200
        package = response.json()["package"]
        assert_shape(package, PACKAGE | {"urlID": (str, NONE)})
        assert package == {("urlID" if name == "urlId" else name): value for name, value in expected.items()}


@pytest.mark.parametrize("ref", [FOREIGN_PACKAGE, 999, 2**63 - 1])
async def test_unknown_in_the_brand(owner: httpx.AsyncClient, reseller: httpx.AsyncClient, ref: int) -> None:
    for caller in (owner, reseller):
        response = await caller.get(f"/packages/{ref}")
        assert problem_in(response) == (404, "packageNotFound")


@pytest.mark.parametrize("ref", ["0", "abc", "1.0", str(2**63)])
async def test_malformed_refs(owner: httpx.AsyncClient, ref: str) -> None:
    assert (await owner.get(f"/packages/{ref}")).status_code == 404


async def test_a_system_owner_names_the_brand(system_owner: httpx.AsyncClient) -> None:
    response = await system_owner.get(f"/packages/{FOREIGN_PACKAGE}")
    assert problem_in(response) == (400, "brandRequired")
    response = await system_owner.get(f"/packages/{FOREIGN_PACKAGE}", headers={"X-Brand-Ref": str(OTHER_BRAND)})
    assert response.json()["package"]["brandRef"] == OTHER_BRAND


async def test_anonymous_requests_are_rejected(anonymous: httpx.AsyncClient) -> None:
    assert (await anonymous.get("/packages/1")).status_code == 401
