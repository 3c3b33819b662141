"""`/template-picker/`: which templates are shown, the preview, and choosing one."""

import asyncio
import re

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.support.browsing import forms, log_in, page_text
from tests.support.sites import make_page
from tests.support.timeouts import HANG_SECONDS
from tests.support.users import OwnerConnection, make_user
from tests.web.account.factories import ATELIER, COFFEE_HOUSE, CONSULT, CORNER_SHOP, make_site, make_template

ALL = [
    "Coffee House", "Atelier", "Corner Shop", "Consult",
    "Plain", "Horizon", "Practice", "Toolbox", "Clubhouse", "Guest House",
]  # fmt: skip


def names(page: httpx.Response) -> list[str]:
    [shown] = re.findall(r'<ul class="cards">(.*?)</ul>', page.text, re.DOTALL) or [""]
    return re.findall(r"<h2>(.*?)</h2>", shown)


def selected(page: httpx.Response) -> list[str]:
    return re.findall(r'aria-current="true">(.*?)</a>', page.text)


async def test_the_picker_shows_all_templates(visitor: httpx.AsyncClient, site: int) -> None:
    page = await visitor.get(f"/template-picker/?siteRef={site}")
    assert names(page) == ALL
    assert selected(page) == ["All"]
    assert "Coffee House In use" in page_text(page)
    for source in re.findall(r'<img src="([^"]+)"', page.text):
        assert (await visitor.get(source)).status_code == 200
    assert "<iframe" not in page.text


async def test_filter_by_category(visitor: httpx.AsyncClient, site: int) -> None:
    page = await visitor.get(f"/template-picker/?siteRef={site}&selectedCategory=shops")
    assert (names(page), selected(page)) == (["Corner Shop"], ["Shops"])
    [address] = re.findall(r'href="([^"]+)">Food and drink</a>', page.text)
    page = await visitor.get(address.replace("&amp;", "&"))
    assert (names(page), selected(page)) == (["Coffee House"], ["Food and drink"])


async def test_filter_by_tag(visitor: httpx.AsyncClient, site: int) -> None:
    page = await visitor.get(f"/template-picker/?siteRef={site}&selectedType=portfolio")
    assert (names(page), selected(page)) == (["Atelier", "Consult", "Guest House"], ["portfolio"])
    page = await visitor.get(
        f"/template-picker/?siteRef={site}&selectedType=portfolio&selectedCategory=professional-services"
    )
    assert (names(page), selected(page)) == (["Consult"], ["Professional services", "portfolio"])


async def test_filters_without_matches_show_nothing(visitor: httpx.AsyncClient, site: int) -> None:
    page = await visitor.get(f"/template-picker/?siteRef={site}&selectedType=portfolio&selectedCategory=shops")
    assert names(page) == []
    assert "There is no template of this kind." in page_text(page)


@pytest.mark.parametrize(
    "more",
    [
        "selectedCategory=nonsense",
        "selectedType=",
        "selectedCategory=%00",
        "selectedType=<script>",
        "preview=0",
        "preview=x",
    ],
)
async def test_unknown_filters_are_ignored(visitor: httpx.AsyncClient, site: int, more: str) -> None:
    page = await visitor.get(f"/template-picker/?siteRef={site}&{more}")
    assert (page.status_code, names(page), selected(page)) == (200, ALL, ["All"])
    assert "<iframe" not in page.text


async def test_redirect_to_the_trailing_slash(visitor: httpx.AsyncClient, site: int) -> None:
    response = await visitor.get(f"/template-picker?siteRef={site}&selectedCategory=food%20and%20drink")
    assert response.status_code == 303
    assert response.headers["location"] == f"/template-picker/?siteRef={site}&selectedCategory=food%20and%20drink"
    assert (await visitor.get("/template-picker")).headers["location"] == "/template-picker/"


async def test_a_log_in_for_the_picker_redirects_to_it(
    anonymous: httpx.AsyncClient, owner: httpx.AsyncClient, user: int, site: int
) -> None:
    """As the specification writes it."""
    login = (await owner.post(f"/users/{user}/auto-login", json={"siteRef": site})).json()["hash"]
    address = f"/login?hash={login}&r=/template-picker/?siteRef={site}%26selectedCategory=shops"
    page = await anonymous.get(address, follow_redirects=True)
    assert str(page.url).endswith(f"/template-picker/?siteRef={site}&selectedCategory=shops")
    assert names(page) == ["Corner Shop"]


async def test_other_account_holders_own_templates_are_not_shown(
    visitor: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, user: int, site: int
) -> None:
    neighbour = await make_user(owner_connection, resources, username="bea")
    hers = await make_template(owner_connection, brand_ref=1, account_holder_ref=neighbour, name="Hers")
    await make_template(owner_connection, brand_ref=1, account_holder_ref=user, name="Mine")
    await make_template(owner_connection, brand_ref=2, name="Another brand's")
    page = await visitor.get(f"/template-picker/?siteRef={site}")
    assert names(page) == [*ALL, "Mine"]
    assert (await visitor.get(f"/template-picker/preview?siteRef={site}&templateRef={hers}")).status_code == 404
    form = {"token": forms(page)["/template-picker/"]["token"], "siteRef": str(site), "templateRef": str(hers)}
    assert (await visitor.post("/template-picker/", data=form)).status_code == 400


async def test_choosing_sets_the_template_and_leads_to_the_site(
    visitor: httpx.AsyncClient, owner: httpx.AsyncClient, owner_connection: OwnerConnection, site: int
) -> None:
    form = forms(await visitor.get(f"/template-picker/?siteRef={site}&selectedCategory=shops"))["/template-picker/"]
    response = await visitor.post("/template-picker/", data=form)
    assert (response.status_code, response.headers["location"]) == (303, f"/account/sites/{site}?done=template")
    page = page_text(await visitor.get(response.headers["location"]))
    assert "The template is chosen." in page
    assert "Template Corner Shop" in page
    assert (await owner.get(f"/sites/{site}")).json()["site"]["template"] == CORNER_SHOP


async def test_choosing_leads_to_the_brands_editor_where_it_has_one(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, site: int
) -> None:
    await owner_connection.execute(
        "update brands set editor_url = 'https://edit.example/{siteRef}' where brand_ref = 1"
    )
    page = await visitor.get(f"/template-picker/?siteRef={site}")
    response = await visitor.post("/template-picker/", data=forms(page)["/template-picker/"])
    assert response.headers["location"] == f"https://edit.example/{site}"
    assert "form-action 'self' http: https:" in page.headers["content-security-policy"]


@pytest.mark.parametrize("template_ref", ["0", "99999", "x", "", str(2**63), None])
async def test_unknown_templates_cannot_be_chosen(
    visitor: httpx.AsyncClient, site: int, template_ref: str | None
) -> None:
    form = forms(await visitor.get(f"/template-picker/?siteRef={site}"))["/template-picker/"]
    form = {name: value for name, value in form.items() if name != "templateRef"}
    response = await visitor.post(
        "/template-picker/", data=form if template_ref is None else form | {"templateRef": template_ref}
    )
    assert response.status_code == 400
    assert "Please choose another." in page_text(response)
    assert "Coffee House In use" in page_text(response)


async def test_a_preview_is_in_a_sandboxed_frame(visitor: httpx.AsyncClient, site: int) -> None:
    page = await visitor.get(f"/template-picker/?siteRef={site}&selectedCategory=shops&preview={ATELIER}")
    assert names(page) == ["Corner Shop"]
    [source] = re.findall(
        r'<iframe class="preview" sandbox title="Preview of Atelier" src="([^"]+)"></iframe>', page.text
    )
    assert "frame-src 'self'" in page.headers["content-security-policy"]
    preview = await visitor.get(source.replace("&amp;", "&"))
    assert preview.status_code == 200
    assert preview.headers["x-frame-options"] == "SAMEORIGIN"
    policy = preview.headers["content-security-policy"]
    assert policy.startswith("sandbox; default-src 'none'; ")
    assert "script-src" not in policy
    assert "frame-ancestors 'self'" in policy


@pytest.mark.parametrize("template_ref", [COFFEE_HOUSE, ATELIER, CORNER_SHOP, CONSULT])
async def test_every_template_can_be_previewed(
    visitor: httpx.AsyncClient, owner: httpx.AsyncClient, site: int, template_ref: int
) -> None:
    page = {"pageUrl": "home", "type": "page", "title": "Fresh every morning", "status": "active"}
    await owner.post(f"/sites/{site}/pages", json=page)
    preview = await visitor.get(f"/template-picker/preview?siteRef={site}&templateRef={template_ref}")
    assert "Fresh every morning" in preview.text
    assert '<base target="_blank">' in preview.text
    assert not re.search(r'<link[^>]+rel="?stylesheet', preview.text)


@pytest.mark.parametrize("template_ref", ["", "0", "99999", "x"])
async def test_unknown_templates_have_no_preview(visitor: httpx.AsyncClient, site: int, template_ref: str) -> None:
    response = await visitor.get("/template-picker/preview", params={"siteRef": site, "templateRef": template_ref})
    assert response.status_code == 404


async def test_the_picker_requires_a_log_in(
    anonymous: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, user: int, site: int
) -> None:
    for path in (f"/template-picker/?siteRef={site}", f"/template-picker/preview?siteRef={site}&templateRef=1"):
        assert (await anonymous.get(path)).status_code == 303
    await make_user(owner_connection, resources, username="bea")
    await log_in(anonymous, "bea")
    mine = await make_site(
        owner_connection, resources, await make_user(owner_connection, resources, username="cid"), "c.example.com"
    )
    form = {"token": "x", "siteRef": str(mine), "templateRef": "1"}
    assert (await anonymous.post("/template-picker/", data=form)).status_code == 403


async def test_a_preview_holds_none_of_the_sites_scripts(
    visitor: httpx.AsyncClient, owner: httpx.AsyncClient, owner_connection: OwnerConnection, site: int
) -> None:
    await make_page(owner_connection, 1, site, headscript="<script>one()</script>", bodyscript="<script>two()</script>")
    await owner.post(f"/sites/{site}/global-values", json={"name": "headscript", "value": "<script>three()</script>"})
    preview = await visitor.get(f"/template-picker/preview?siteRef={site}&templateRef={CONSULT}")
    assert preview.status_code == 200
    assert not re.search(r"(one|two|three)\(\)", preview.text)


@pytest.fixture
async def faulty(owner_connection: OwnerConnection, resources: Resources, clean: None) -> int:
    """A template of the brand's own that fails."""
    folder = resources.settings.data_path / "templates" / "faulty"
    folder.mkdir(parents=True, exist_ok=True)
    swatch = "[{ref: 1, name: One, values: {}}]"
    (folder / "template.yaml").write_text(f"{{name: F, description: F, colours: {swatch}, fonts: {swatch}}}")
    (folder / "page.html").write_text("{{ 1 / 0 }}")
    return await make_template(owner_connection, brand_ref=1, name="faulty")


async def test_a_template_that_fails_says_so_in_the_frame(visitor: httpx.AsyncClient, site: int, faulty: int) -> None:
    response = await visitor.get(f"/template-picker/preview?siteRef={site}&templateRef={faulty}")
    assert response.status_code == 409
    assert "There is no preview The template has an error. Please choose another." in page_text(response)
    assert response.headers["x-frame-options"] == "SAMEORIGIN"
    assert "frame-ancestors 'self'" in response.headers["content-security-policy"]


async def test_a_site_in_a_template_that_fails_is_not_published(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, site: int, faulty: int
) -> None:
    await owner_connection.execute("update sites set template_ref = $1", faulty)
    address = f"/account/sites/{site}"
    response = await visitor.post(f"{address}/publish", data=forms(await visitor.get(address))[f"{address}/publish"])
    assert response.status_code == 409
    assert "The template has an error. Please choose another." in page_text(response)
    assert "Never published" in page_text(response)


async def test_concurrent_previews_do_not_block_other_requests(
    visitor: httpx.AsyncClient, owner: httpx.AsyncClient, site: int, faulty: int
) -> None:
    address = f"/template-picker/preview?siteRef={site}&templateRef={faulty}"
    previews = [asyncio.create_task(visitor.get(address, timeout=HANG_SECONDS)) for _ in range(4)]
    await asyncio.sleep(0.1)
    for _ in range(3):
        assert (await owner.get("/brands/1/languages")).status_code == 200
    assert not all(each.done() for each in previews)
    assert {(await each).status_code for each in previews} == {409}


async def test_the_package_offers_the_first_templates_of_its_group(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, site: int
) -> None:
    await owner_connection.execute(
        "update packages set template_group_ref = (select ref from template_groups where name = 'Studio'),"
        " capabilities = capabilities || '{\"templatesAllowed\": 3}'"
    )
    form = forms(await visitor.get(f"/template-picker/?siteRef={site}"))["/template-picker/"]
    assert names(await visitor.get(f"/template-picker/?siteRef={site}")) == ALL[:3]
    assert (await visitor.get(f"/template-picker/preview?siteRef={site}&templateRef={CONSULT}")).status_code == 404
    assert (await visitor.post("/template-picker/", data=form | {"templateRef": str(CONSULT)})).status_code == 400
    assert (await visitor.post("/template-picker/", data=form | {"templateRef": str(ATELIER)})).status_code == 303


async def test_without_templates_a_site_keeps_its_own(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, site: int
) -> None:
    await owner_connection.execute("update packages set capabilities = capabilities || '{\"templatesAllowed\": 0}'")
    assert names(await visitor.get(f"/template-picker/?siteRef={site}")) == ["Coffee House"]
    new = await visitor.get("/account/sites/new")
    assert 'name="templateRef"' not in new.text
    form = forms(new)["/account/sites"]
    refused = await visitor.post("/account/sites", data=form | {"name": "Ann", "templateRef": str(CONSULT)})
    assert refused.status_code == 400
    assert (await visitor.post("/account/sites", data=form | {"name": "Ann"})).status_code == 303
