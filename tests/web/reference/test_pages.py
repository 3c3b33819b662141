"""The pages of the reference: complete, small, linked with each other, and without other resources."""

import re
from collections.abc import Iterator

import httpx
import pytest
from markupsafe import escape

from sitewright.app import ENDPOINTS, EVENT_KINDS, PUBLIC
from sitewright.settings import Settings
from sitewright.web.reference.clients import KNOWN_CLIENTS, RUN
from sitewright.web.reference.examples.languages import LANGUAGES
from sitewright.web.reference.problem_codes import problem_codes
from sitewright.web.reference.reference import Reference
from sitewright.web.reference.topics import TOPICS
from tests.contract.test_real_clients import CLIENTS
from tests.support import contract

MAX_PAGE = 200 * 1024
REFERENCE = Reference(ENDPOINTS, PUBLIC, EVENT_KINDS, Settings(), lambda: None)
FORMER_ANCHORS = ("clients", "coming-from-another-system", "client-settings", "feature-users", "feature-webhooks")
"""Places on the one page that the reference used to be, other than operations."""


def addresses() -> Iterator[str]:
    yield from ("/docs", "/problems", "/docs/search?q=e", "/problems/brandMismatch")
    yield from (topic.href for topic in TOPICS)
    for feature in REFERENCE.features:
        yield feature.href
        yield from (operation.href for operation in feature.operations)


def assert_loads_nothing_else(response: httpx.Response) -> None:
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    policies = response.headers.get_list("content-security-policy")
    assert len(policies) == 1
    assert policies[0].startswith("default-src 'none'; style-src 'self'; script-src 'self';")
    assert policies[0].endswith("form-action 'self'; frame-ancestors 'none'; connect-src 'self'")
    assert not re.search(r"<style| style=| on\w+=\"|<script>", response.text)
    assert re.findall(r"(?:src|href|url)\s*[=(]\s*[\"']?(?:https?:)?//", response.text) == []


async def test_every_page_is_small_compressed_and_complete(anonymous: httpx.AsyncClient) -> None:
    for address in addresses():
        page = await anonymous.get(address)
        assert page.status_code == 200, address
        assert len(page.content) < MAX_PAGE, address
        assert page.headers["content-encoding"] == "gzip", address
        assert_loads_nothing_else(page)


async def test_every_link_leads_somewhere(anonymous: httpx.AsyncClient) -> None:
    pages = {address: (await anonymous.get(address)).text for address in addresses()}
    ids = {address: set(re.findall(r'\bid="([^"]+)"', text)) for address, text in pages.items()}
    checked = {"/openapi.json"}
    for address, text in pages.items():
        for target in set(re.findall(r'href="([^"]+)"', text)) - checked:
            page, _, anchor = target.partition("#")
            if anchor:
                assert anchor in ids[page or address], f"{address} links to {target}"
            if page and page not in pages:
                assert (await anonymous.get(page)).status_code == 200, f"{address} links to {target}"
                checked.add(target)


async def test_every_operation_is_listed_under_its_former_anchor(anonymous: httpx.AsyncClient) -> None:
    """`/docs#createUser` leads to the entry of the list that links to the operation's page."""
    home = (await anonymous.get("/docs")).text
    for feature in REFERENCE.features:
        for operation in feature.operations:
            assert f'<li id="{operation.id}"><a class="operation-link" href="{operation.href}">' in home
    assert all(f'id="{anchor}"' in home for anchor in FORMER_ANCHORS)


async def test_every_operation_has_its_examples(anonymous: httpx.AsyncClient) -> None:
    for feature in REFERENCE.features:
        for operation in feature.operations:
            page = (await anonymous.get(operation.href)).text
            for example in REFERENCE.views.view(operation.id).examples:
                assert str(escape(example.code)) in page, f"{operation.id} in {example.language.name}"


async def test_the_page_of_an_event_names_the_fields_that_every_body_has(anonymous: httpx.AsyncClient) -> None:
    page = await anonymous.get("/docs/events/user.created")
    names = re.findall(r'<th scope="row"><code>(\w+)</code>', page.text)
    assert {"eventName", "id", "created", "accountHolder", "testMode", "sequence"} <= set(names)


async def test_the_clients_can_be_downloaded(anonymous: httpx.AsyncClient) -> None:
    for language in LANGUAGES:
        file = await anonymous.get(f"/docs/download/{language.client_file}")
        assert file.text == language.client
        assert file.headers["content-disposition"] == f'attachment; filename="{language.client_file}"'


@pytest.mark.parametrize(
    "address",
    [
        "/docs/nonsense",
        "/docs/api/nonsense",
        "/docs/api/users/nonsense",
        "/docs/api/sites/createUser",
        "/docs/download/nonsense.py",
        "/docs/%3Cscript%3E",
    ],
)
async def test_other_addresses_are_404(anonymous: httpx.AsyncClient, address: str) -> None:
    assert (await anonymous.get(address)).status_code == 404
    page = await anonymous.get(address, headers={"accept": "text/html"})
    assert (page.status_code, page.headers["content-type"]) == (404, "text/html; charset=utf-8")


async def test_lists_the_clients_that_are_known_to_work(anonymous: httpx.AsyncClient) -> None:
    page = (await anonymous.get("/docs/clients")).text
    assert len(KNOWN_CLIENTS) == 11
    for client in KNOWN_CLIENTS:
        assert f'<th scope="row">{escape(client.name)}' in page
    for setting in ("consistentTypes", "upsertGlobalValues", "vendor_*"):
        assert f"<code>{setting}</code>" in page


def test_clients_that_are_said_to_run_in_our_tests_do() -> None:
    """requests-oauthlib runs in the guides; the others are named by their tests."""
    said = {client.name.removesuffix(" (npm)") for client in KNOWN_CLIENTS if client.evidence == RUN}
    assert said == {"requests-oauthlib", *(name.partition(",")[0] for name in CLIENTS)} - {"Guzzle"}


async def test_every_code_has_its_page(anonymous: httpx.AsyncClient) -> None:
    overview = await anonymous.get("/problems")
    for code, problem in problem_codes(REFERENCE.document).items():
        assert f'href="/problems/{code}"' in overview.text
        response = await anonymous.get(f"/problems/{code}")
        assert response.status_code == 200, code
        assert f"<dd>{problem.status}</dd>" in response.text
        assert_loads_nothing_else(response)


async def test_a_field_of_some_body_or_query_has_its_page(anonymous: httpx.AsyncClient) -> None:
    response = await anonymous.get("/problems/invalidFirstName")
    assert response.status_code == 200
    assert "<code>firstName</code>" in response.text
    assert "/docs/api/probe/takeBody" in response.text


@pytest.mark.parametrize("code", ["invalid", "nonsense", "%3Cscript%3E", "__proto__"])
async def test_an_unknown_code_is_a_404_page(anonymous: httpx.AsyncClient, code: str) -> None:
    response = await anonymous.get(f"/problems/{code}")
    assert response.status_code == 404
    assert_loads_nothing_else(response)


async def test_an_operation_of_tomorrow_is_listed_with_examples(anonymous: httpx.AsyncClient) -> None:
    """The tests' own endpoints are declared nowhere in the reference."""
    page = await anonymous.get("/docs/api/probe/takeBody")
    assert page.status_code == 200
    assert re.search(r"status, body = call\(&#34;[A-Z]+&#34;, &#34;/probe&#34;", page.text)


async def test_nothing_can_be_tried_on_an_installation_that_is_no_demo(anonymous: httpx.AsyncClient) -> None:
    for address in ("/docs/api/users/createUser", "/docs/getting-started"):
        page = (await anonymous.get(address)).text
        assert "Try it" not in page
        assert "try_it" not in page
        assert "credentials=" not in page


async def test_the_document_is_served_to_all(anonymous: httpx.AsyncClient) -> None:
    response = await anonymous.get("/openapi.json")
    assert response.headers["cache-control"] == "max-age=300"
    assert response.headers["content-encoding"] == "gzip"
    assert response.json() == contract.document()


@pytest.mark.parametrize("form", ["{}", 'W/"other", {}', "*"])
async def test_the_document_is_sent_again_only_when_it_changed(anonymous: httpx.AsyncClient, form: str) -> None:
    etag = (await anonymous.get("/openapi.json")).headers["etag"]
    known = await anonymous.get("/openapi.json", headers={"if-none-match": form.replace("{}", etag)})
    assert (known.status_code, known.content, known.headers["etag"]) == (304, b"", etag)
    assert "content-length" not in known.headers
    other = await anonymous.get("/openapi.json", headers={"if-none-match": '"other"'})
    assert other.status_code == 200
