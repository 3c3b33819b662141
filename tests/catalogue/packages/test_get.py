"""GET /packages/:packageRef."""

import httpx
import pytest

from tests.catalogue.packages.shapes import NONE, PACKAGE, assert_shape
from tests.support.answers import refused
from tests.support.cast import OTHER_BRAND, OWN_BRAND

FOREIGN_PACKAGE = 6


async def test_a_package_by_itself_is_the_listed_one_but_for_one_spelling(owner: httpx.AsyncClient) -> None:
    listed = (await owner.get(f"/brands/{OWN_BRAND}/packages")).json()["packages"]
    for expected in listed:
        answer = await owner.get(f"/packages/{expected['ref']}")
        assert answer.status_code == 200
        package = answer.json()["package"]
        assert_shape(package, PACKAGE | {"urlID": (str, NONE)})
        assert package == {("urlID" if name == "urlId" else name): value for name, value in expected.items()}


@pytest.mark.parametrize("ref", [FOREIGN_PACKAGE, 999, 2**63 - 1])
async def test_unknown_in_the_brand(owner: httpx.AsyncClient, reseller: httpx.AsyncClient, ref: int) -> None:
    for caller in (owner, reseller):
        answer = await caller.get(f"/packages/{ref}")
        assert refused(answer) == (404, "packageNotFound")


@pytest.mark.parametrize("ref", ["0", "abc", "1.0", str(2**63)])
async def test_malformed_refs(owner: httpx.AsyncClient, ref: str) -> None:
    assert (await owner.get(f"/packages/{ref}")).status_code == 404


async def test_a_system_owner_names_the_brand(system_owner: httpx.AsyncClient) -> None:
    answer = await system_owner.get(f"/packages/{FOREIGN_PACKAGE}")
    assert refused(answer) == (400, "brandRequired")
    answer = await system_owner.get(f"/packages/{FOREIGN_PACKAGE}", headers={"X-Brand-Ref": str(OTHER_BRAND)})
    assert answer.json()["package"]["brandRef"] == OTHER_BRAND


async def test_nobody_may_not(anonymous: httpx.AsyncClient) -> None:
    assert (await anonymous.get("/packages/1")).status_code == 401
