"""A web server for http-01, a name server for dns-01, and an authority that asks both."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import msgspec
import pytest
from aiohttp import web

from sitewright.demo.authority.service import Authority, authority
from sitewright.demo.name_server.service import NameServer, name_server
from tests.support.bare_acme import AcmeClient, acme_client


class Site(msgspec.Struct):
    """Serves the responses to http-01 challenges."""

    port: int
    responses: dict[tuple[str, str], str]

    async def respond(self, host: str, token: str, value: str) -> None:
        self.responses[host, token] = value


class Stage(msgspec.Struct):
    ca: Authority
    client: AcmeClient
    site: Site
    names: NameServer

    async def publish(self, _host: str, name: str, value: str) -> None:
        """Respond to dns-01."""
        self.names.set(name, "TXT", [f'"{value}"'])


Staging = Callable[..., AbstractAsyncContextManager[Stage]]


@asynccontextmanager
async def serve_site() -> AsyncIterator[Site]:
    responses: dict[tuple[str, str], str] = {}

    async def handle(request: web.Request) -> web.Response:
        found = responses.get((request.host, request.match_info["token"]))
        return web.Response(text=found) if found else web.Response(status=404)

    application = web.Application()
    application.router.add_get("/.well-known/acme-challenge/{token}", handle)
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    yield Site(runner.addresses[0][1], responses)
    await runner.cleanup()


@asynccontextmanager
async def stage(**options: Any) -> AsyncIterator[Stage]:
    async with serve_site() as site, name_server(fallback=["127.0.0.1"]) as names:
        running = authority(resolver=names.address, http_port=site.port, **options)
        async with running as ca, acme_client(ca.directory, ca.ca_file) as client:
            yield Stage(ca, client, site, names)


@pytest.fixture
def staging() -> Staging:
    return stage
