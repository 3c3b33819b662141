"""GET /v2/templates and /v2/templates/categories, against 2.13 of the specification."""

from typing import Any

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.catalogue.packages.shapes import NONE, assert_shape
from tests.support.cast import OTHER_BRAND
from tests.support.paging import refs_in, walk
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection, make_user
from tests.web.account.factories import make_template

TEMPLATE = dict.fromkeys(("ref", "fontSwatchRef", "colorSwatchRef"), (int,)) | {
    **dict.fromkeys(("name", "directory", "thumbnail"), (str,)),
    **dict.fromkeys(("codeHostRepository", "gitRef"), (str, NONE)),
    "private": (bool,),
    "updated": (dict,),
    "groupRefs": (list,),
}
COFFEE, ATELIER, SHOP, CONSULT = "coffee-house", "atelier", "corner-shop", "consult"
ANY = ["plain", "horizon", "practice", "toolbox"]
"""In both groups."""
STUDIO = ["clubhouse", "guest-house"]
ALL = [COFFEE, ATELIER, SHOP, CONSULT, *ANY, *STUDIO]


async def names(client: httpx.AsyncClient, **query: Any) -> list[str]:
    response = await client.get("/v2/templates", params=query)
    assert response.status_code == 200, response.text
    return [template["directory"] for template in response.json()["templates"]]


async def test_every_field_has_its_type(owner: httpx.AsyncClient) -> None:
    templates = (await owner.get("/v2/templates")).json()["templates"]
    assert [template["directory"] for template in templates] == ALL
    for template in templates:
        assert_shape(template, TEMPLATE)
        assert_shape(template["updated"], {"date": (str,), "timezone_type": (int,), "timezone": (str,)})
    assert templates[0]["groupRefs"] == [1, 2, 3]
    assert (templates[0]["updated"]["timezone_type"], templates[0]["updated"]["timezone"]) == (3, "UTC")
    assert len(templates[0]["updated"]["date"]) == len("2026-01-31 12:00:00")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"tag": "one-page"}, [COFFEE, CONSULT]),
        ({"tagRef": 2}, [ATELIER, CONSULT, "guest-house"]),
        ({"templateGroupRef": 1}, [COFFEE, CONSULT, *ANY]),
        ({"templateGroupRefs": "1,2"}, ALL),
        ({"templateGroupRefs": "2"}, [COFFEE, ATELIER, SHOP, *ANY, *STUDIO]),
        ({"categoryKey": "shops"}, [SHOP]),
        ({"templateGroupRef": 1, "tag": "portfolio"}, [CONSULT]),
        ({"accountHolderRef": 1}, []),
        ({"tag": "unknown"}, []),
        ({"tag": ""}, []),
        ({"tagRef": 999}, []),
        ({"templateGroupRef": 2**63 - 1}, []),
        ({"templateGroupRefs": "999,1000"}, []),
        ({"categoryKey": "unknown"}, []),
        ({"something": "else"}, ALL),
    ],
)
async def test_filters(owner: httpx.AsyncClient, query: dict[str, Any], expected: list[str]) -> None:
    assert await names(owner, **query) == expected


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"tagRef": "one"}, "invalidTagRef"),
        ({"tagRef": "0"}, "invalidTagRef"),
        ({"templateGroupRef": ""}, "invalidTemplateGroupRef"),
        ({"templateGroupRefs": "1,"}, "invalidTemplateGroupRefs"),
        ({"templateGroupRefs": "0"}, "invalidTemplateGroupRefs"),
        ({"templateGroupRefs": "a,b"}, "invalidTemplateGroupRefs"),
        ({"templateGroupRefs": ""}, "invalidTemplateGroupRefs"),
        ({"templateGroupRefs": str(2**63)}, "invalidTemplateGroupRefs"),
        ({"accountHolderRef": "1.0"}, "invalidAccountHolderRef"),
        ({"tag": "a\0b"}, "invalidTag"),
        ({"tagRef": "x", "accountHolderRef": "y"}, "invalidRequest"),
    ],
)
async def test_filters_of_the_wrong_type(owner: httpx.AsyncClient, query: dict[str, str], code: str) -> None:
    response = await owner.get("/v2/templates", params=query)
    assert problem_in(response) == (400, code)
    assert set(response.json()["errors"]) == set(query)


async def test_a_private_template_is_seen_in_its_owners_brand_alone(
    owner: httpx.AsyncClient, other_brand: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    ref = await make_user(owner_connection, resources, OTHER_BRAND)
    await make_template(owner_connection, "mine", brand_ref=OTHER_BRAND, account_holder_ref=ref)
    assert "mine" not in await names(owner)
    assert await names(owner, accountHolderRef=ref) == []
    assert await names(other_brand, accountHolderRef=ref) == ["mine"]
    private = (await other_brand.get("/v2/templates")).json()["templates"][-1]
    assert (private["directory"], private["private"]) == ("mine", True)
    await other_brand.delete(f"/users/{ref}")
    assert await names(other_brand, accountHolderRef=ref) == []
    assert "mine" not in await names(other_brand)


async def test_times_are_in_the_brands_time_zone(owner: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    await owner_connection.execute("update brands set time_zone = 'America/Sao_Paulo'")
    await owner_connection.execute("update templates set updated_at = '2026-01-31 01:30:00.123Z'")
    [updated, *_] = [each["updated"] for each in (await owner.get("/v2/templates")).json()["templates"]]
    assert updated == {"date": "2026-01-30 22:30:00", "timezone_type": 3, "timezone": "America/Sao_Paulo"}


async def test_categories(owner: httpx.AsyncClient, reseller: httpx.AsyncClient) -> None:
    for caller in (owner, reseller):
        categories = (await caller.get("/v2/templates/categories")).json()["categories"]
        assert categories[0] == {"ref": 1, "key": "food-and-drink", "category": "Food and drink"}
        assert [category["ref"] for category in categories] == list(range(1, 10))


@pytest.mark.parametrize("path", ["/v2/templates", "/v2/templates/categories"])
async def test_who_may_read(anonymous: httpx.AsyncClient, system_owner: httpx.AsyncClient, path: str) -> None:
    assert (await anonymous.get(path)).status_code == 401
    assert (await system_owner.get(path)).json()["code"] == "brandRequired"
    assert (await system_owner.get(path, headers={"X-Brand-Ref": "2"})).status_code == 200
    unknown = await system_owner.get(path, headers={"X-Brand-Ref": "999"})
    assert problem_in(unknown) == (404, "brandNotFound")


@pytest.mark.parametrize("path", ["/v2/templates", "/v2/templates/categories"])
async def test_pagination(owner: httpx.AsyncClient, path: str) -> None:
    [refs] = await walk(owner, path)
    assert len(refs) == (10 if path == "/v2/templates" else 9)
    assert await walk(owner, f"{path}?limit=6") == [refs[:6], refs[6:]]
    assert await walk(owner, f"{path}?limit=2&before={refs[3]}", "prev") == [refs[1:3], refs[:1]]
    assert refs_in(await owner.get(f"{path}?offset=1&limit=2")) == refs[1:3]


async def test_pagination_keeps_the_filter(owner: httpx.AsyncClient) -> None:
    [refs] = await walk(owner, "/v2/templates?templateGroupRefs=2")
    assert await walk(owner, "/v2/templates?templateGroupRefs=2&limit=1") == [[ref] for ref in refs]
