"""Browser behavior for tests without a browser."""

import base64
import hashlib
import html
import re
from typing import Any

import httpx

from sitewright.app import create_app
from sitewright.kit.resources import Resources
from tests.support import contract
from tests.support.cast import PASSWORD

HOST = "account.test"
LANGUAGES = ["de", "en", "es", "fr", "pt"]
PROXY = "192.0.2.1"


async def log_in(
    client: httpx.AsyncClient, username: str = "ann", password: str = PASSWORD, **more: Any
) -> httpx.Response:
    headers = more.pop("headers", {})
    form = {"username": username, "password": password} | more
    return await client.post("/login", data=form, headers=headers)


def browser(resources: Resources, address: str = "127.0.0.1", host: str = HOST) -> httpx.AsyncClient:
    """A client with another address than the tests' usual one, or of another app."""
    transport = httpx.ASGITransport(create_app(resources), client=(address, 1))
    return httpx.AsyncClient(transport=transport, base_url=f"http://{host}", event_hooks=contract.HOOKS)


def page_text(response: httpx.Response) -> str:
    """The text of a page, without its tags."""
    body = re.sub(r"<style>.*?</style>", "", response.text, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


def hidden(response: httpx.Response, name: str) -> str:
    [value] = set(re.findall(rf'<input type="hidden" name="{name}" value="([^"]*)">', response.text))
    return html.unescape(value)


def assert_loads_nothing_else(response: httpx.Response) -> None:
    """The page is complete with files of the service's own host, allows nothing inline, and labels its fields."""
    policy, text = response.headers["content-security-policy"], response.text
    accents = "".join(f" 'sha256-{_digest(style)}'" for style in re.findall(r"<style>(.*?)</style>", text, re.DOTALL))
    own = f"style-src 'self'{accents}; script-src 'self'; font-src 'self'; img-src 'self'"
    assert policy.startswith(f"default-src 'none'; {own}; base-uri 'none'; form-action ")
    assert "unsafe" not in policy
    assert response.headers["cache-control"] == "no-store"
    assert response.headers["referrer-policy"] in ("no-referrer", "same-origin")
    assert response.headers["x-frame-options"] == "DENY"
    assert not re.search(r" on\w+=| style=|url\(|@import", text)
    for script in re.findall(r"<script.*?</script>", text, re.DOTALL):
        assert re.fullmatch(r'<script type="module" src="/assets/[\w.-]+"></script>', script)
    linked = re.findall(r'<link [^>]*href="([^"]*)"', text) + re.findall(r'\bsrc="([^"]*)"', text)
    assert linked
    assert [each for each in linked if not re.match(r"/\w", each)] == []
    assert len(re.findall(r"<h1[ >]", text)) == 1
    for name in re.findall(r'<(?:input|textarea|select) id="([\w-]+)"', text):
        assert re.search(rf'<label (?:class="[\w -]+" )?for="{name}"', text), name


def _digest(style: str) -> str:
    return base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()


def forms(response: httpx.Response) -> dict[str, dict[str, str]]:
    """The fields that each form of a page would send without input, by the form's action."""
    found = {}
    for action, inside in re.findall(r'<form [^>]*action="([^"]+)">(.*?)</form>', response.text, re.DOTALL):
        fields = re.findall(r'<input [^>]*?\bname="([^"]+)" value="([^"]*)"', inside)
        fields += re.findall(r'<textarea [^>]*?\bname="([^"]+)"[^>]*>\n?([^<]*)</textarea>', inside)
        found[html.unescape(action)] = {name: html.unescape(value) for name, value in fields}
    return found
