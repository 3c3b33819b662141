"""What an account holder's package allows in the editor."""

import itertools
import json
from typing import Any

import httpx
import pytest

from sitewright.kit.auth.caller import Caller, Role
from sitewright.kit.problems import Problem
from sitewright.kit.resources import Resources
from sitewright.kit.validation import parse
from sitewright.sites.content.changes import service
from tests.sites.content.shapes import MAIN, Site
from tests.support.cast import OWN_BRAND
from tests.support.users import OwnerConnection

RULES: list[tuple[str, dict[str, Any]]] = [
    ("htmlEditing", {"kind": "addWidget", "type": "html", "parentId": MAIN}),
    ("htmlEditing", {"kind": "addPage", "pageUrl": "a", "title": "A", "headscript": "<script></script>"}),
    ("htmlEditing", {"kind": "setGlobalValue", "name": "bodyscript", "value": "<script></script>"}),
    ("seoAndRedirects", {"kind": "addPage", "pageUrl": "a", "title": "A", "description": "Cakes"}),
    ("designTab", {"kind": "setGlobalValue", "name": "colorSwatchRef", "value": "1"}),
    ("designTab", {"kind": "setStaticValue", "id": "hero", "name": "text", "value": "Hi"}),
    ("designTab", {"kind": "chooseTemplate", "templateRef": 1}),
    ("cssEditing", {"kind": "setGlobalValue", "name": "customCss", "value": "h1 { color: red }"}),
    ("templatesAllowed", {"kind": "chooseTemplate", "templateRef": 1}),
]


_ids = itertools.count(1)


async def allow(owner: OwnerConnection, **capabilities: int) -> None:
    """Change all packages."""
    await owner.execute("update packages set capabilities = capabilities || $1::jsonb", json.dumps(capabilities))


async def attempt(resources: Resources, site: Site, name: str, change: dict[str, Any]) -> str | None:
    """The code and capability of the refusal; None for a success."""
    caller = Caller(role=Role.BRAND_ADMIN, name=name, brand_ref=OWN_BRAND)
    request = parse(service.ChangeRequest, {"id": f"change-{next(_ids)}", "change": change})
    try:
        async with resources.database.transaction(OWN_BRAND) as tx:
            await service.make_change(tx, resources.settings, service.Editor(caller), site.ref, request)
    except Problem as problem:
        return f"{problem.status} {problem.code} {next(iter(problem.errors))}"
    return None


@pytest.mark.parametrize(("capability", "change"), RULES)
async def test_a_package_without_it(
    resources: Resources, owner: httpx.AsyncClient, owner_connection: OwnerConnection, site: Site, capability: str,
    change: dict[str, Any],
) -> None:  # fmt: skip
    page = await site.page(owner)
    change = change | ({"pageRef": page["ref"]} if change["kind"] == "addWidget" else {})
    user_ref = await owner_connection.fetchval("select user_ref from sites where ref = $1", site.ref)
    refused = f"403 packageLimitReached {capability}"
    await allow(owner_connection, **{capability: 0})
    assert await attempt(resources, site, f"user:{user_ref}", change) == refused
    await allow(owner_connection, **{capability: 1})
    assert await attempt(resources, site, f"user:{user_ref}", change) is None


async def test_callers_of_the_api_are_not_restricted(
    resources: Resources, owner_connection: OwnerConnection, site: Site
) -> None:
    await allow(owner_connection, htmlEditing=0, seoAndRedirects=0, designTab=0, cssEditing=0, templatesAllowed=0)
    for number, (_capability, change) in enumerate(RULES[1:]):
        unique = {"pageUrl": f"page-{number}"} if change["kind"] == "addPage" else {}
        assert await attempt(resources, site, "credential:1", change | unique) is None


async def test_the_number_of_pages(
    resources: Resources, owner: httpx.AsyncClient, owner_connection: OwnerConnection, site: Site
) -> None:
    user_ref = await owner_connection.fetchval("select user_ref from sites where ref = $1", site.ref)
    await allow(owner_connection, restrictPagesOnPublish=1, pagesLimited=1)
    await site.page(owner)
    change = {"kind": "addPage", "pageUrl": "more", "title": "More"}
    assert await attempt(resources, site, f"user:{user_ref}", change) == "403 packageLimitReached pagesLimited"
    assert await attempt(resources, site, "credential:1", change) is None
