"""What tests do as a browser would."""

import html
import re
from typing import Any

import httpx

from sitewright.app import create_app
from sitewright.kit.resources import Resources
from tests.support import contract
from tests.support.cast import PASSWORD

HOST = "account.test"
PROXY = "192.0.2.1"


async def log_in(
    client: httpx.AsyncClient, username: str = "ann", password: str = PASSWORD, **more: Any
) -> httpx.Response:
    headers = more.pop("headers", {})
    form = {"username": username, "password": password} | more
    return await client.post("/login", data=form, headers=headers)


def browser(resources: Resources, address: str = "127.0.0.1", host: str = HOST) -> httpx.AsyncClient:
    """A client at another address than the tests' usual one, or of another app than theirs."""
    transport = httpx.ASGITransport(create_app(resources), client=(address, 1))
    return httpx.AsyncClient(transport=transport, base_url=f"http://{host}", event_hooks=contract.HOOKS)


def said(answer: httpx.Response) -> str:
    """The words of a page, without its tags."""
    body = re.sub(r"<style>.*?</style>", "", answer.text, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


def hidden(answer: httpx.Response, name: str) -> str:
    [value] = re.findall(rf'<input type="hidden" name="{name}" value="([^"]*)">', answer.text)
    return html.unescape(value)
