"""`sitewright call`: sign a request and send it, since curl cannot."""

import asyncio
import sys
from collections.abc import Mapping
from typing import Annotated

import aiohttp
import msgspec
import typer
from oauthlib.oauth1 import Client
from yarl import URL

from sitewright.cli.context import err, out, settings
from sitewright.demo.service import demo_file
from sitewright.settings import Settings
from sitewright.tenants.credentials.service import OAuthCredentials

app = typer.Typer()
TIMEOUT = aiohttp.ClientTimeout(total=60)


class Response(msgspec.Struct, frozen=True):
    status: int
    reason: str
    content_type: str
    text: str


@app.command()
def call(
    method: Annotated[str, typer.Argument(help="GET, POST, PUT or DELETE.")],
    path: Annotated[str, typer.Argument(help="The path with its query, like /brands/1/languages.")],
    body: Annotated[str | None, typer.Argument(metavar="JSON", help="The body; - reads standard input.")] = None,
    brand: Annotated[int, typer.Option(help="The demo brand whose credentials are used.")] = 1,
    credentials: Annotated[
        str | None,
        typer.Option(
            envvar="SITEWRIGHT_CREDENTIALS",
            help="The OAuth credentials as JSON, as `credentials create` prints them; by default those of demo.json.",
        ),
    ] = None,
    url: Annotated[str | None, typer.Option(help="The URL of the API; by default from the settings.")] = None,
) -> None:
    """Sign a request with OAuth 1.0a, send it, and print the status and the response."""
    loaded = settings()
    oauth = _oauth_credentials(loaded, credentials, brand)
    client = Client(*msgspec.structs.astuple(oauth), signature_method="HMAC-SHA256")
    content = sys.stdin.read() if body == "-" else body
    headers = {"Content-Type": "application/json"} if content is not None else {}
    target = f"{url or loaded.api_url}/{path.removeprefix('/')}"
    try:
        address, headers, content = client.sign(target, method.upper(), content, headers)
    except ValueError as error:
        raise typer.BadParameter(f"The path cannot be signed; percent-encode its special characters. {error}") from None
    try:
        response = asyncio.run(_send(method.upper(), address, headers, content))
    except (aiohttp.ClientError, TimeoutError) as error:
        reason = str(error) or "no response in time"
        err.print(f"No response from {url or loaded.api_url}: {reason}. Check that the API runs there, or give --url.")
        raise typer.Exit(1) from error
    _show(response)


async def _send(method: str, address: str, headers: Mapping[str, str], content: str | None) -> Response:
    """Send the request exactly as it was signed: no redirects, no re-encoding of the address."""
    async with (
        aiohttp.ClientSession(timeout=TIMEOUT) as session,
        session.request(
            method, URL(address, encoded=True), headers=headers, data=content, allow_redirects=False
        ) as reply,
    ):
        return Response(reply.status, reply.reason or "", reply.content_type, await reply.text(errors="replace"))


def _oauth_credentials(loaded: Settings, credentials: str | None, brand: int) -> OAuthCredentials:
    try:
        if credentials is not None:
            return msgspec.json.decode(credentials, type=OAuthCredentials)
        demo = msgspec.json.decode(demo_file(loaded).read_bytes())
        found = next(each["oauth"] for each in demo["brands"] if each["brandRef"] == brand)
        return msgspec.convert(found, OAuthCredentials)
    except FileNotFoundError:
        advice = "No credentials: give --credentials, or start the demo with: sitewright serve --demo"
        raise typer.BadParameter(advice) from None
    except (msgspec.DecodeError, StopIteration, KeyError):
        raise typer.BadParameter("The credentials cannot be read, or the demo has no such brand.") from None


def _show(response: Response) -> None:
    err.print(f"{response.status} {response.reason}")
    if "json" in response.content_type:
        out.print_json(response.text)
    elif response.text:
        out.print(response.text, markup=False)
    if not 200 <= response.status < 300:
        raise typer.Exit(1)
