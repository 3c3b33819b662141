"""`/account/sites/new`: an account holder creates a site."""

from typing import Any

import httpx
import pytest

from tests.support.browsing import forms, page_text
from tests.support.users import OwnerConnection

NEW = "/account/sites/new"


async def create(visitor: httpx.AsyncClient, **typed: str) -> httpx.Response:
    form = forms(await visitor.get(NEW))["/account/sites"]
    return await visitor.post("/account/sites", data={"token": form["token"]} | typed)


async def the_site(owner: OwnerConnection, user: int) -> dict[str, Any]:
    row = await owner.fetchrow(
        "select s.ref, s.template_ref, d.domain, f.fields ->> 'business' as business from sites s"
        " join site_domains d on d.ref = s.primary_domain_ref join profiles f on f.ref = s.profile_ref"
        " where s.user_ref = $1",
        user,
    )
    assert row is not None
    return dict(row)


@pytest.mark.parametrize(
    ("typed", "domain"),
    [
        ({"subdomain": "Anns-Coffee"}, "anns-coffee.northwind.example"),
        ({"domain": "www.Ann.example "}, "www.ann.example"),
        ({}, "ann.northwind.example"),
    ],
)
async def test_creates_a_site(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, user: int, typed: dict[str, str], domain: str
) -> None:
    response = await create(visitor, name="Ann's Coffee", templateRef="3", **typed)
    site = await the_site(owner_connection, user)
    assert response.headers["location"] == f"/account/sites/{site['ref']}?done=created"
    assert site | {"ref": 0} == {"ref": 0, "template_ref": 3, "domain": domain, "business": "Ann's Coffee"}
    assert "Ann's Coffee" in page_text(await visitor.get("/account"))


@pytest.mark.parametrize(
    ("typed", "status", "words"),
    [
        ({"subdomain": "no spaces"}, 400, "Use letters, digits and hyphens only"),
        ({"domain": "https://ann.example"}, 400, "This is not a complete domain."),
        ({"subdomain": "a", "domain": "b.example"}, 400, "Fill in only one of the two addresses."),
        ({"subdomain": "login"}, 409, "This name is reserved."),
        ({"domain": "ann.southgate.example"}, 409, "This address is taken already, or reserved."),
        ({"templateRef": "999999"}, 400, "Please choose one of the list."),
    ],
)
async def test_shows_what_is_wrong_and_keeps_the_input(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, typed: dict[str, str], status: int, words: str
) -> None:
    response = await create(visitor, name="Ann's Coffee", **typed)
    assert response.status_code == status
    assert words in page_text(response)
    assert 'value="Ann&#39;s Coffee"' in response.text
    if "templateRef" not in typed:
        assert "autofocus" in next(tag for tag in response.text.split("<input") if 'aria-invalid="true"' in tag)
    assert await owner_connection.fetchval("select count(*) from sites") == 0


async def test_needs_the_token_of_the_session(visitor: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    response = await visitor.post("/account/sites", data={"name": "Ann's Coffee", "token": "x"})
    assert response.status_code == 403
    assert await owner_connection.fetchval("select count(*) from sites") == 0
