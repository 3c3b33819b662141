"""Certificates in the console: one of them, uploading, and removal from a name."""

import ast
from importlib.resources import files

import httpx
import pytest

from sitewright.kit.resources import Resources
from sitewright.web.console.frame.messages import CATALOG
from tests.domains.certificates.wire import is_served, served
from tests.support.browsing import LANGUAGES, assert_loads_nothing_else, page_text
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.certificates import certificate_for, expired, make_certificate
from tests.support.operators import send, token_of
from tests.support.sites import make_domain, make_site
from tests.support.users import OwnerConnection
from tests.web.console.conftest import LogIn

PATH = "/console/certificates"
NEW = f"{PATH}/new"
HOST, SECOND, THEIRS = "www.bakery.example", "shop.bakery.example", "www.rival.example"


@pytest.fixture(autouse=True)
async def site_ref(owner_connection: OwnerConnection, resources: Resources, clean: None) -> int:
    """A site with two domains; another brand has one of its own."""
    site_ref = await make_site(owner_connection, resources)
    for host in (HOST, SECOND):
        await make_domain(owner_connection, OWN_BRAND, site_ref, host)
    theirs = await make_site(owner_connection, resources, OTHER_BRAND)
    await make_domain(owner_connection, OTHER_BRAND, theirs, THEIRS)
    return site_ref


@pytest.fixture
async def stored(owner_connection: OwnerConnection, resources: Resources, site_ref: int) -> int:
    return await make_certificate(
        owner_connection, resources, OWN_BRAND, certificate_for(HOST, SECOND), HOST, SECOND, names=[HOST, SECOND]
    )


async def test_uploads_a_certificate_for_several_names(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    page = await admin.get(NEW)
    assert_loads_nothing_else(page)
    issued = certificate_for(HOST, SECOND)
    form = {"domain": HOST.upper(), "domains": f"{SECOND}\r\n", "cert": issued.chain, "key": issued.key}
    done = await send(admin, NEW, **form)
    assert done.headers["location"] == f"{PATH}?done=uploaded"
    assert await is_served(resources, issued, HOST)
    assert await is_served(resources, issued, SECOND)
    assert "The certificate is served from now on." in page_text(await admin.get(done.headers["location"]))
    entry = await owner_connection.fetchrow("select actor, action from audit_entries order by ref desc limit 1")
    assert entry is not None
    assert entry["actor"].startswith("operator:")
    assert entry["action"] == "put certificate"


async def test_takes_intermediates_from_their_own_field(admin: httpx.AsyncClient, resources: Resources) -> None:
    issued = certificate_for(HOST)
    intermediates = issued.chain.removeprefix(issued.cert)
    form = {"domain": HOST, "cert": issued.cert, "intermediates": intermediates, "key": issued.key}
    assert (await send(admin, NEW, **form)).status_code == 303
    assert await is_served(resources, issued)


async def test_says_at_the_field_what_is_wrong(admin: httpx.AsyncClient, resources: Resources) -> None:
    issued, other = certificate_for(HOST), certificate_for(SECOND, number=1)
    good = {"domain": HOST, "domains": "", "cert": issued.chain, "key": issued.key}
    for changed, field, text in (
        ({"key": other.key}, "key", "The key does not belong to the certificate."),
        ({"key": "nonsense"}, "key", "Exactly one private key is needed"),
        ({"key": ""}, "key", "Please check this field."),
        ({"cert": expired(HOST).chain}, "cert", "expired on"),
        ({"domain": SECOND}, "cert", f"The certificate is not for {SECOND}, but for: {HOST}."),
        ({"domains": SECOND}, "domains", f"The certificate does not cover {SECOND}."),
        ({"domains": "not a name"}, "domains", "not is not a host name."),
        ({"domain": "unknown.example"}, "domain", "unknown.example is not mapped to a site"),
    ):
        response = await send(admin, NEW, **(good | changed))
        assert response.status_code in (400, 403), changed
        assert text in page_text(response), changed
        assert f'id="{field}-error"' in response.text, changed
        key = (good | changed)["key"]
        assert not key or key.strip() not in response.text, "the key is never sent back"
        assert HOST in response.text or "domain" in changed
    assert await served(resources) is None


def test_every_reason_has_a_text_in_every_language() -> None:
    codes = set()
    for name in ("pem", "keys", "chains", "validation", "uploading"):
        source = (files("sitewright.domains.certificates") / f"{name}.py").read_text()
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in {"Reason", "InvalidValue"}:
                assert isinstance(node.args[1], ast.Constant)
                codes.add(node.args[1].value)
    assert len(codes) > 25
    for language in LANGUAGES:
        begin = "certificate_reason_"
        assert {key.removeprefix(begin) for key in CATALOG.own[language] if key.startswith(begin)} == codes


async def test_reasons_are_in_the_operators_language(admin: httpx.AsyncClient) -> None:
    issued, other = certificate_for(HOST), certificate_for(SECOND, number=1)
    await send(admin, "/console/me/language", language="de")
    response = await send(admin, NEW, domain=HOST, cert=issued.chain, key=other.key)
    assert "Der Schlüssel gehört nicht zum Zertifikat." in page_text(response)


async def test_a_name_of_another_brand_is_like_an_unknown_one(admin: httpx.AsyncClient, resources: Resources) -> None:
    issued = certificate_for(THEIRS, "unknown.example")
    pages = []
    for host in (THEIRS, "unknown.example"):
        response = await send(admin, NEW, domain=host, cert=issued.chain, key=issued.key)
        assert response.status_code == 403
        pages.append(page_text(response).replace(host, "HOST"))
    assert pages[0] == pages[1]
    assert await served(resources, THEIRS) is None


async def test_a_key_is_only_accepted_over_an_encrypted_connection(
    admin: httpx.AsyncClient, resources: Resources
) -> None:
    issued, elsewhere = certificate_for(HOST), {"host": "console.example"}
    page = await admin.get(NEW, headers=elsewhere)
    assert "Open the console with https" in page_text(page)
    assert "<textarea" not in page.text
    form = {"token": await token_of(admin), "domain": HOST, "cert": issued.chain, "key": issued.key}
    response = await admin.post(NEW, data=form, headers=elsewhere)
    assert response.status_code == 403
    assert "Open the console with https" in page_text(response)
    assert await served(resources) is None


async def test_shows_where_a_certificate_is_used(admin: httpx.AsyncClient, stored: int, site_ref: int) -> None:
    assert f'href="{PATH}/{stored}"' in (await admin.get(PATH)).text
    page = await admin.get(f"{PATH}/{stored}")
    assert_loads_nothing_else(page)
    assert page.text.count(f'href="/console/sites/{site_ref}"') == 2
    assert f'href="{PATH}/{stored}/remove?name={HOST}"' in page.text


async def test_removes_a_certificate_from_a_name_after_asking(
    admin: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, stored: int
) -> None:
    asked = await admin.get(f"{PATH}/{stored}/remove?name={HOST}")
    assert f"Remove the certificate of {HOST}?" in page_text(asked)
    assert await served(resources) is not None, "the question changes nothing"
    done = await send(admin, f"{PATH}/{stored}/remove", name=HOST)
    assert done.headers["location"] == f"{PATH}?done=removed"
    assert await served(resources) is None
    assert await served(resources, SECOND) is not None
    assert (await send(admin, f"{PATH}/{stored}/remove", name=HOST)).status_code == 404
    assert (await send(admin, f"{PATH}/{stored}/remove", name=SECOND)).status_code == 303
    assert (await admin.get(f"{PATH}/{stored}")).status_code == 404
    assert await owner_connection.fetchval("select count(*) from certificates") == 0


@pytest.mark.parametrize("username", ["support", "viewer"])
async def test_only_brand_admins_change_certificates(
    log_in: LogIn, resources: Resources, stored: int, username: str
) -> None:
    client, issued = await log_in(username), certificate_for(HOST)
    assert NEW not in (await client.get(PATH)).text
    assert "/remove" not in (await client.get(f"{PATH}/{stored}")).text
    assert (await client.get(NEW)).status_code == 403
    assert (await client.get(f"{PATH}/{stored}/remove?name={HOST}")).status_code == 403
    assert (await send(client, NEW, domain=HOST, cert=issued.chain, key=issued.key)).status_code == 403
    assert (await send(client, f"{PATH}/{stored}/remove", name=HOST)).status_code == 403
    assert await served(resources) is not None
    assert not await is_served(resources, issued)


async def test_forms_need_the_token(admin: httpx.AsyncClient, resources: Resources, stored: int) -> None:
    assert (await admin.post(f"{PATH}/{stored}/remove", data={"name": HOST})).status_code == 403
    assert (await admin.post(NEW, data={"domain": HOST})).status_code == 403
    assert await served(resources) is not None


async def test_a_certificate_of_another_brand_does_not_exist(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    theirs = await make_certificate(owner_connection, resources, OTHER_BRAND, certificate_for(THEIRS), THEIRS)
    for ref in (theirs, 999_999_999):
        assert (await admin.get(f"{PATH}/{ref}")).status_code == 404
        assert (await admin.get(f"{PATH}/{ref}/remove?name={THEIRS}")).status_code == 404
        assert (await send(admin, f"{PATH}/{ref}/remove", name=THEIRS)).status_code == 404
    assert await served(resources, THEIRS) is not None


async def test_in_other_languages(admin: httpx.AsyncClient, stored: int) -> None:
    for language in ("de", "es", "fr", "pt"):
        await send(admin, "/console/me/language", language=language)
        for path in (PATH, NEW, f"{PATH}/{stored}", f"{PATH}/{stored}/remove?name={HOST}"):
            assert (await admin.get(path)).status_code == 200
