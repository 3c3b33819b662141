"""The frame of the editor: who may see it, and what may run in it."""

import re

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.support.cast import OWN_BRAND
from tests.support.sites import make_page, make_widget
from tests.support.users import OwnerConnection, make_user
from tests.web.account.factories import make_site


def directives(response: httpx.Response) -> dict[str, str]:
    policy = response.headers["content-security-policy"]
    return {name: value for name, _, value in (each.strip().partition(" ") for each in policy.split(";"))}


async def test_only_the_editors_script_may_run(visitor: httpx.AsyncClient, site: int) -> None:
    response = await visitor.get(f"/account/sites/{site}/edit/frame")
    assert response.status_code == 200
    policy = directives(response)
    nonce = re.fullmatch(r"'nonce-([A-Za-z0-9_-]{22})'", policy.pop("script-src"))
    assert nonce is not None
    assert policy.pop("sandbox") == "allow-scripts"
    assert policy.pop("style-src") == "'unsafe-inline'"
    assert policy.pop("img-src") == "'self' http: https: data:"
    assert policy.pop("font-src") == "'self' data:"
    assert policy.pop("frame-ancestors") == "'self'"
    assert set(policy.values()) == {"'none'"}
    assert set(policy) == {"default-src", "connect-src", "frame-src", "form-action", "base-uri"}
    assert response.headers["x-frame-options"] == "SAMEORIGIN"
    assert response.headers["cache-control"] == "no-store"
    another = await visitor.get(f"/account/sites/{site}/edit/frame")
    assert directives(another)["script-src"] != f"'nonce-{nonce[1]}'"


async def test_shows_one_page_with_marks(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, site: int
) -> None:
    await make_page(owner_connection, OWN_BRAND, site, request="home", title="Home")
    page_ref = await make_page(owner_connection, OWN_BRAND, site, request="menu", title="Our menu")
    widget_ref = await make_widget(owner_connection, OWN_BRAND, site, page_ref, type="widget.heading", name="a")
    response = await visitor.get(f"/account/sites/{site}/edit/frame?page={page_ref}")
    assert '<h1 data-static="title">Our menu</h1>' in response.text
    assert f'data-widget="{widget_ref}"' in response.text


@pytest.mark.parametrize("page", ["99999", "0", "x", ""])
async def test_an_unknown_page(visitor: httpx.AsyncClient, site: int, page: str) -> None:
    response = await visitor.get(f"/account/sites/{site}/edit/frame?page={page}")
    assert response.status_code == 404
    assert directives(response)["frame-ancestors"] == "'self'"


async def test_a_site_of_another_user(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    other = await make_user(owner_connection, resources, username="other", email="other@mail.example")
    theirs = await make_site(owner_connection, resources, other, "other.example")
    assert (await visitor.get(f"/account/sites/{theirs}/edit/frame")).status_code == 404


async def test_without_a_session(anonymous: httpx.AsyncClient, site: int) -> None:
    assert (await anonymous.get(f"/account/sites/{site}/edit/frame")).status_code == 303
