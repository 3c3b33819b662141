import httpx

from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.responses import problem_in

ENGLISH, SPANISH, GERMAN = (
    {"ref": 1, "code": "en", "name": "English"},
    {"ref": 2, "code": "es", "name": "Español"},
    {"ref": 3, "code": "de", "name": "Deutsch"},
)


async def test_a_brand_sees_its_languages_in_its_own_order(owner: httpx.AsyncClient) -> None:
    response = await owner.get(f"/brands/{OWN_BRAND}/languages")
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    assert response.json() == {"languages": [ENGLISH, SPANISH, GERMAN]}


async def test_another_brand_has_other_languages(other_brand: httpx.AsyncClient) -> None:
    response = await other_brand.get(f"/brands/{OTHER_BRAND}/languages")
    assert [language["code"] for language in response.json()["languages"]] == ["en", "fr", "pt"]


async def test_every_role_may_read_them(
    owner_operator: httpx.AsyncClient, reseller: httpx.AsyncClient, system_owner: httpx.AsyncClient
) -> None:
    for caller in (owner_operator, reseller, system_owner):
        assert (await caller.get(f"/brands/{OWN_BRAND}/languages")).status_code == 200


async def test_anonymous_requests_are_rejected(anonymous: httpx.AsyncClient) -> None:
    assert (await anonymous.get(f"/brands/{OWN_BRAND}/languages")).status_code == 401


async def test_a_brand_that_does_not_exist(system_owner: httpx.AsyncClient) -> None:
    response = await system_owner.get("/brands/999/languages")
    assert problem_in(response) == (404, "brandNotFound")
