"""`r`: allowed redirect targets of a log-in."""

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.support.browsing import browser, log_in, page_text
from tests.support.sites import make_site
from tests.support.users import OwnerConnection
from tests.web.login.conftest import NewHash

ALLOWED = {
    "/account": "/account",
    "/": "/",
    "/a/b?c=d&e=f#g": "/a/b?c=d&e=f#g",
    "/with space": "/with%20space",
    "/caf\u00e9?q=\u00fc": "/caf%C3%A9?q=%C3%BC",
    "/already%20encoded": "/already%20encoded",
    "/@evil.example": "/@evil.example",
    "/.//evil.example": "/.//evil.example",
    "http://account.test/x": "http://account.test/x",
    "https://account.test/x": "https://account.test/x",
    "//account.test/x": "http://account.test/x",
    "http://northwind.example": "http://northwind.example",
    "https://northwind.example/?siteRef=1&selectedCategory=shops": "https://northwind.example/?siteRef=1&selectedCategory=shops",
    "HTTPS://NorthWind.Example/Path": "https://NorthWind.Example/Path",
    "https://northwind.example:8443/x": "https://northwind.example:8443/x",
    "//northwind.example/x": "http://northwind.example/x",
    "northwind.example/?siteRef=1": "http://northwind.example/?siteRef=1",
    "https://picker.example/?siteRef=7": "https://picker.example/?siteRef=7",
    "picker.example:8443/?siteRef=7": "http://picker.example:8443/?siteRef=7",
}
REFUSED = [
    "https://evil.example/",
    "http://evil.example",
    "//evil.example",
    "//evil.example/account",
    "///evil.example",
    "////evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
    "\t//evil.example",
    "/\n/evil.example",
    "/x\r\nSet-Cookie: a=b",
    "/x\x00",
    "/x\x7f",
    " https://evil.example",
    "https:evil.example",
    "https:/evil.example",
    "https:///evil.example",
    "http://northwind.example@evil.example/",
    "http://ann:secret@northwind.example/",
    "http://evil.example#@northwind.example/",
    "http://evil.example\\@northwind.example/",
    "http://northwind.example.evil.example/",
    "http://evilnorthwind.example/",
    "http://sub.northwind.example/",
    "http://northwind.example%2eevil.example/",
    "http://northwind.example:port/",
    "http://north\u200bwind.example/",
    "http://\uff4e\uff4frthwind.example/",
    "javascript:alert(1)",
    "JavaScript://northwind.example/%0aalert(1)",
    "data:text/html,hello",
    "ftp://northwind.example/",
    "file:///etc/passwd",
    "account",
    "?x=1",
    "http://",
    "http://[::1]/",
    "http://127.0.0.1/",
    "/" + "a" * 2100,
]


@pytest.fixture
async def listing(owner_connection: OwnerConnection, clean: None) -> None:
    await owner_connection.execute("update brands set allowed_link_hosts = '{picker.example}' where brand_ref = 1")


@pytest.mark.parametrize("r", ALLOWED, ids=repr)
async def test_allowed_targets(resources: Resources, new_hash: NewHash, listing: None, r: str) -> None:
    async with browser(resources) as visitor:
        response = await visitor.get("/login", params={"hash": await new_hash(), "r": r})
    assert (response.status_code, response.headers["location"]) == (303, ALLOWED[r])


async def test_rejected_targets(resources: Resources, new_hash: NewHash, listing: None) -> None:
    """A rejected target does not use the hash."""
    login = await new_hash()
    async with browser(resources) as visitor:
        for r in REFUSED:
            response = await visitor.get("/login", params={"hash": login, "r": r})
            assert response.status_code == 400, repr(r)
            assert "location" not in response.headers
            assert "set-cookie" not in response.headers
            assert "You were not taken there" in page_text(response)
        assert (await visitor.get("/login", params={"hash": login})).status_code == 303


@pytest.mark.parametrize("r", ["https://evil.example/", "//evil.example", "/\\evil.example"])
async def test_rejected_targets_of_a_password_log_in(
    resources: Resources, user: int, owner_connection: OwnerConnection, r: str
) -> None:
    async with browser(resources) as visitor:
        assert (await log_in(visitor, r=r)).status_code == 400
        assert (await visitor.get("/login", params={"r": r, "brandRef": "1"})).status_code == 400
    assert await owner_connection.fetchval("select count(*) from sessions") == 0


async def test_the_template_picker_of_the_specification(resources: Resources, new_hash: NewHash, listing: None) -> None:
    picker = "https://picker.example/?siteRef=12%26selectedCategory=shops"
    async with browser(resources) as visitor:
        response = await visitor.get(f"/login?hash={await new_hash()}&r={picker}")
    assert response.headers["location"] == "https://picker.example/?siteRef=12&selectedCategory=shops"


EDITOR = "https://editor.example/sites/{siteRef}/edit"


@pytest.mark.parametrize(
    ("editor_url", "location"), [("https://editor.example/start", "https://editor.example/start"), (EDITOR, "/account")]
)
async def test_without_target_and_site_a_log_in_redirects_to_the_editor_or_account(
    anonymous: httpx.AsyncClient,
    new_hash: NewHash,
    owner_connection: OwnerConnection,
    editor_url: str | None,
    location: str,
) -> None:
    login = await new_hash()
    await owner_connection.execute("update brands set editor_url = $1 where brand_ref = 1", editor_url)
    assert (await anonymous.get(f"/login?hash={login}")).headers["location"] == location


@pytest.mark.parametrize(
    ("editor_url", "template_ref", "location"),
    [
        ("https://editor.example/start", 1, "https://editor.example/start"),
        (EDITOR, 1, "https://editor.example/sites/{site}/edit"),
        (None, 1, "/account/sites/{site}"),
        (EDITOR, None, "/template-picker/?siteRef={site}"),
        (None, None, "/template-picker/?siteRef={site}"),
    ],
)
async def test_a_log_in_for_a_site_redirects_to_its_picker_editor_or_page(
    anonymous: httpx.AsyncClient,
    resources: Resources,
    user: int,
    new_hash: NewHash,
    owner_connection: OwnerConnection,
    editor_url: str | None,
    template_ref: int | None,
    location: str,
) -> None:
    site = await make_site(owner_connection, resources, user_ref=user, template_ref=template_ref)
    await owner_connection.execute("update brands set editor_url = $1 where brand_ref = 1", editor_url)
    response = await anonymous.get(f"/login?hash={await new_hash()}")
    assert response.headers["location"] == location.format(site=site)


async def test_a_deleted_site_redirects_to_the_account(
    anonymous: httpx.AsyncClient, resources: Resources, user: int, new_hash: NewHash, owner_connection: OwnerConnection
) -> None:
    await make_site(owner_connection, resources, user_ref=user)
    login = await new_hash()
    await owner_connection.execute("update sites set deleted_at = now()")
    assert (await anonymous.get(f"/login?hash={login}")).headers["location"] == "/account"
