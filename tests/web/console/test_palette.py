"""What the command palette gets from the server, and the search field of the shell without scripts."""

import re

import httpx

from sitewright.kit.resources import Resources
from tests.support.users import OwnerConnection, make_user
from tests.web.console.conftest import LogIn

PATH = "/console/palette"


def links(response: httpx.Response) -> list[str]:
    assert response.status_code == 200
    return re.findall(r'href="([^"]+)"', response.text)


async def test_finds_customers_and_sites(admin: httpx.AsyncClient, owner: httpx.AsyncClient) -> None:
    person = {"username": "penny", "email": "penny@pear.example", "firstName": "Penny", "lastName": "<Pear>"}
    created = await owner.post(
        "/users", json=person | {"brandRef": 1, "languageCode": "en", "password": "a good password"}
    )
    assert created.status_code == 201, created.text
    ref = created.json()["accountHolder"]["ref"]
    new_site = {"brandRef": 1, "accountHolderRef": ref, "domain": "www.penny-pear.example"}
    site = await owner.post("/sites", json=new_site)
    assert site.status_code == 201, site.text
    site_ref = site.json()["site"]["ref"]
    page = await admin.get(f"{PATH}?q=penn")
    assert links(page)[0] == f"/console/customers/{ref}"
    assert "&lt;Pear&gt;" in page.text
    assert f"/console/sites/{site_ref}" in links(page)
    assert f"/console/sites/{site_ref}" in links(await admin.get(f"{PATH}?q=penny-pear.ex"))
    assert f"/console/sites/{site_ref}" in links(await admin.get(f"{PATH}?q={site_ref}"))
    assert f"/console/customers/{ref}" in links(await admin.get(f"{PATH}?q={ref}"))
    assert links(await admin.get(f"{PATH}?q=nobody")) == []
    assert links(await admin.get(f"{PATH}?q=..")) == []


async def test_finds_nothing_of_other_brands(
    admin: httpx.AsyncClient, log_in: LogIn, owner_connection: OwnerConnection, resources: Resources
) -> None:
    user = await make_user(owner_connection, resources, brand_ref=2)
    found = links(await admin.get(f"{PATH}?q={user}"))
    assert found == []
    assert links(await (await log_in("system-owner")).get(f"{PATH}?q={user}")) == [], "no brand is chosen"


async def test_what_cannot_be_searched_for(admin: httpx.AsyncClient, anonymous: httpx.AsyncClient) -> None:
    for query in ("", "?q=", f"?q={'x' * 201}"):
        assert (await admin.get(PATH + query)).status_code == 400
    assert (await anonymous.get(f"{PATH}?q=ann")).status_code == 303


async def test_the_shell_searches_customers_without_scripts(admin: httpx.AsyncClient) -> None:
    page = (await admin.get("/console/me")).text
    assert re.search(r'<form[^>]+action="/console/customers"[^>]*>.*?name="search"', page, re.DOTALL)
