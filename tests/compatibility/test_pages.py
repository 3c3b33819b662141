"""Pages with the field names of existing clients: `seo_title` and `menu`."""

from typing import Any

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.compatibility.conftest import Send
from tests.sites.content.shapes import Site, last_audited
from tests.support.responses import object_in, problem_in
from tests.support.sites import make_site
from tests.support.users import OwnerConnection

MEANS = [
    ({"seo_title": "s"}, {"seoTitle": "s"}),
    ({"seoTitle": "first", "seo_title": "second"}, {"seoTitle": "first"}),
    ({"menu": 0}, {"hiddenFromNavigation": 1}),
    ({"menu": 1}, {"hiddenFromNavigation": 0}),
    ({"menu": 0, "hiddenFromNavigation": 0}, {"hiddenFromNavigation": 0}),
    ({"menu": 1, "hiddenFromNavigation": 1}, {"hiddenFromNavigation": 1}),
]


@pytest.fixture
async def site(owner_connection: OwnerConnection, resources: Resources, clean: None) -> Site:
    return Site(await make_site(owner_connection, resources))


@pytest.mark.parametrize(("sent", "expected"), MEANS, ids=str)
async def test_a_new_page(send: Send, site: Site, sent: dict[str, Any], expected: dict[str, Any]) -> None:
    page = object_in(await send("POST", f"{site.path}/pages", pageUrl="menu", title="Menu", **sent), "page")
    assert {name: page[name] for name in expected} == expected


@pytest.mark.parametrize(("sent", "expected"), MEANS, ids=str)
@pytest.mark.parametrize("was_hidden", [0, 1])
async def test_a_changed_page(
    send: Send, owner: httpx.AsyncClient, site: Site, was_hidden: int, sent: dict[str, Any], expected: dict[str, Any]
) -> None:
    page = await site.page(owner, seoTitle="old", hiddenFromNavigation=was_hidden)
    changed = object_in(await send("PUT", f"{site.path}/pages/{page['ref']}", **sent), "page")
    assert changed == page | expected


async def test_null_means_that_there_is_no_seo_title(owner: httpx.AsyncClient, site: Site) -> None:
    assert (await site.page(owner, seoTitle=None, seo_title="second"))["seoTitle"] is None
    assert (await site.page(owner, "other", seo_title=None))["seoTitle"] is None


@pytest.mark.parametrize(
    ("sent", "code"),
    [({"menu": 2}, "invalidMenu"), ({"menu": None}, "invalidMenu"),
     ({"menu": "x", "hiddenFromNavigation": 1}, "invalidMenu"), ({"seo_title": "x" * 256}, "invalidSeoTitle"),
     ({"seo_title": 7, "seoTitle": "fine"}, "invalidSeoTitle")],
)  # fmt: skip
@pytest.mark.parametrize("method", ["POST", "PUT"])
async def test_an_invalid_value_is_reported(
    owner: httpx.AsyncClient, site: Site, method: str, sent: dict[str, Any], code: str
) -> None:
    page = await site.page(owner)
    path = f"{site.path}/pages" if method == "POST" else f"{site.path}/pages/{page['ref']}"
    response = await owner.request(method, path, json={"pageUrl": "other", "title": "Other", **sent})
    assert problem_in(response) == (400, code)


async def test_the_audit_has_the_field_names_that_were_sent(
    owner: httpx.AsyncClient, site: Site, owner_connection: OwnerConnection
) -> None:
    page = await site.page(owner)
    await site.edit_page(owner, page, menu=0)
    assert (await last_audited(owner_connection))[3] == {"site": site.ref, "fields": ["menu"]}
