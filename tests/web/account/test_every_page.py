"""Rules for every account page: all languages, a strict content security policy, no placeholders, no scripts."""

import re

import httpx
import pytest

from sitewright.kit.resources import Resources
from sitewright.web.account.details import GROUPS
from sitewright.web.account.formatting import CATALOG
from tests.support.browsing import LANGUAGES, assert_loads_nothing_else, hidden, log_in, page_text
from tests.support.cast import OWN_BRAND
from tests.support.sites import make_domain
from tests.support.users import OwnerConnection, make_user
from tests.web.account.factories import make_site

VECTOR = '"><script>alert(1)</script>{{ 7 * 7 }}{name}'


async def every_page(visitor: httpx.AsyncClient, site: int) -> dict[str, httpx.Response]:
    """Every page, by the key of a text that it must contain."""
    address = f"/account/sites/{site}"
    token = {"token": hidden(await visitor.get("/account"), "token")}
    return {
        "sites": await visitor.get("/account"),
        "charges": await visitor.get("/account/package"),
        "connect_hint": await visitor.get("/account/domains"),
        "done_connected": await visitor.get("/account/domains?done=connected"),
        "done_disconnected": await visitor.get("/account/domains?done=disconnected"),
        "invalid_domain": await visitor.post("/account/domains", data=token | {"siteRef": str(site), "domain": "a b"}),
        "why_domainNotFound": await visitor.post(f"{address}/domains/0/disconnect", data=token),
        "new_address_hint": await visitor.get("/account/sites/new"),
        "only_one_address": await visitor.post("/account/sites", data=token | {"subdomain": "a", "domain": "b.com"}),
        "invalid_subdomain": await visitor.post("/account/sites", data=token | {"subdomain": "a b"}),
        "invalid_name": await visitor.post("/account/sites", data=token | {"name": "x" * 201}),
        "page_text_hint": await visitor.get(f"{address}/first-page"),
        "invalid_page_title": await visitor.post(f"{address}/first-page", data=token | {"title": ""}),
        "why_primaryUrlRef": await visitor.post(f"{address}/settings", data=token | {"primaryUrlRef": "999999"}),
        "done_created": await visitor.get(f"{address}?done=created"),
        "done_settings": await visitor.get(f"{address}?done=settings"),
        "done_page": await visitor.get(f"{address}?done=page"),
        "details_hint": await visitor.get(address),
        "done_published": await visitor.get(f"{address}?done=published"),
        "done_live": await visitor.get(f"{address}?done=live"),
        "done_offline": await visitor.get(f"{address}?done=offline"),
        "done_details": await visitor.get(f"{address}?done=details"),
        "done_template": await visitor.get(f"{address}?done=template"),
        "why_neverPublished": await visitor.post(f"{address}/live", data=token | {"live": "1"}),
        "details_not_saved": await visitor.post(f"{address}/details", data=token | {"business": "x" * 10_001}),
        "picker": await visitor.get(f"/template-picker/?siteRef={site}"),
        "close_preview": await visitor.get(f"/template-picker/?siteRef={site}&preview=2"),
        "template_gone": await visitor.post(
            "/template-picker/", data=token | {"siteRef": str(site), "templateRef": "0"}
        ),
        "not_found": await visitor.get("/account/sites/0"),
        "form_not_ours": await visitor.post(f"{address}/publish", data={"token": "x"}),
    }


@pytest.mark.parametrize("language", LANGUAGES)
async def test_every_page_is_translated_and_self_contained(
    anonymous: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, language: str
) -> None:
    user = await make_user(owner_connection, resources, language_code=language)
    site = await make_site(owner_connection, resources, user)
    await make_domain(owner_connection, OWN_BRAND, site, "www.example.org")
    await log_in(anonymous)
    texts = CATALOG.languages[language]
    for key, page in (await every_page(anonymous, site)).items():
        assert texts[key].partition("{")[0].strip() in page_text(page), key
        assert f'<html lang="{language}">' in page.text
        assert not re.search(r"[{}]|\bNone\b|Undefined|field_|why_|done_", page_text(page)), key
        assert_loads_nothing_else(page)


async def test_every_field_has_its_label_in_every_language() -> None:
    names = {field.name for fields in GROUPS.values() for field in fields}
    for texts in CATALOG.languages.values():
        assert {f"field_{name}" for name in names} <= texts.keys()
        assert GROUPS.keys() <= texts.keys()


async def test_user_input_is_escaped(
    visitor: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, user: int, site: int
) -> None:
    await owner_connection.execute("update templates set name = $1", VECTOR)
    await owner_connection.execute("update template_categories set category = $1", VECTOR)
    await owner_connection.execute("update brands set name = $1", VECTOR)
    await owner_connection.execute("update packages set name = $1", VECTOR)
    await owner_connection.execute("update profiles set fields = jsonb_build_object('business', $1::text)", VECTOR)
    for page in (await every_page(visitor, site)).values():
        assert "<script>" not in page.text
        assert VECTOR in page_text(page)


async def test_only_the_preview_can_be_framed_by_our_own_pages(visitor: httpx.AsyncClient, site: int) -> None:
    for path in ("/account", f"/account/sites/{site}", f"/template-picker/?siteRef={site}"):
        page = await visitor.get(path)
        assert page.headers["x-frame-options"] == "DENY"
        assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
