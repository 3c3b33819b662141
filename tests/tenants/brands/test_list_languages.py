import httpx

from tests.support.answers import refused
from tests.support.cast import OTHER_BRAND, OWN_BRAND

ENGLISH, SPANISH, GERMAN = (
    {"ref": 1, "code": "en", "name": "English"},
    {"ref": 2, "code": "es", "name": "Español"},
    {"ref": 3, "code": "de", "name": "Deutsch"},
)


async def test_a_brand_sees_its_languages_in_its_own_order(owner: httpx.AsyncClient) -> None:
    answer = await owner.get(f"/brands/{OWN_BRAND}/languages")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.json() == {"languages": [ENGLISH, SPANISH, GERMAN]}


async def test_another_brand_has_others(other_brand: httpx.AsyncClient) -> None:
    answer = await other_brand.get(f"/brands/{OTHER_BRAND}/languages")
    assert [language["code"] for language in answer.json()["languages"]] == ["en", "fr", "pt"]


async def test_every_role_may_read_them(
    owner_operator: httpx.AsyncClient, reseller: httpx.AsyncClient, system_owner: httpx.AsyncClient
) -> None:
    for caller in (owner_operator, reseller, system_owner):
        assert (await caller.get(f"/brands/{OWN_BRAND}/languages")).status_code == 200


async def test_nobody_may_not(anonymous: httpx.AsyncClient) -> None:
    assert (await anonymous.get(f"/brands/{OWN_BRAND}/languages")).status_code == 401


async def test_a_brand_that_does_not_exist(system_owner: httpx.AsyncClient) -> None:
    answer = await system_owner.get("/brands/999/languages")
    assert refused(answer) == (404, "brandNotFound")
