"""Operators in a browser: they log in to the console, and make one-time codes as their phones would."""

import base64
import email
import email.policy
import re

import httpx

from sitewright.kit import clock
from sitewright.kit.resources import Resources
from sitewright.tenants.credentials.second_factor.one_time_codes import STEP_SECONDS, code_at
from tests.support.browsing import hidden
from tests.support.cast import PASSWORD
from tests.support.rendered_mails import rendered
from tests.support.users import OwnerConnection

CONSOLE_COOKIE = "sitewright-console"


async def log_in_operator(
    client: httpx.AsyncClient, username: str, password: str = PASSWORD, **more: str
) -> httpx.Response:
    return await client.post("/console/log-in", data={"username": username, "password": password} | more)


async def token_of(client: httpx.AsyncClient, path: str = "/console/me") -> str:
    return hidden(await client.get(path), "token")


async def send(client: httpx.AsyncClient, path: str, **form: str) -> httpx.Response:
    """A form of the console, with the token of the session."""
    return await client.post(path, data={"token": await token_of(client)} | form)


def code_of(secret: bytes, steps: int = 0) -> str:
    """The code that the app shows now, or some steps later."""
    return code_at(secret, int(clock.real_now().timestamp()) // STEP_SECONDS + steps)


def shown_secret(response: httpx.Response) -> bytes:
    """The secret that the page of the set-up shows for typing."""
    [text] = re.findall(r"<code>([A-Z2-7 ]{39})</code>", response.text)
    return in_bytes(text)


def in_bytes(text: str) -> bytes:
    """A secret as pages show it."""
    return base64.b32decode(text.replace(" ", ""))


async def set_up_second_factor(client: httpx.AsyncClient) -> tuple[bytes, list[str]]:
    """Returns the secret of the app and the recovery codes."""
    path = "/console/me/second-factor"
    begun = await client.post(f"{path}/begin", data={"token": await token_of(client, path)})
    assert begun.status_code == 303
    page = await client.get(path)
    secret = shown_secret(page)
    shown = await client.post(path, data={"token": hidden(page, "token"), "code": code_of(secret, -1)})
    assert shown.status_code == 200, shown.text
    return secret, re.findall(r"<code>([a-z2-7-]{19})</code>", shown.text)


async def mailed_invitation(owner: OwnerConnection, resources: Resources) -> str:
    """The path and query of the link in the newest invitation."""
    ref = await owner.fetchval("select max(ref) from mails where kind = 'operatorInvitation'")
    [mail] = await rendered(resources, [ref])
    body = email.message_from_bytes(mail.message.content, policy=email.policy.default).get_body(("plain",))
    assert body is not None
    [link] = set(re.findall(r"http\S+(/console/invitation\?h=\S+)", body.get_content()))
    return str(link)
