"""Servers in the test's own process, each on a port of its own."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from sitewright.app import create_app
from sitewright.kit.http.asgi import HttpApp
from sitewright.kit.http.server import listen, server_for
from sitewright.kit.origin import Proxies
from sitewright.kit.resources import Resources


@asynccontextmanager
async def serve(app: HttpApp, listener: socket.socket | None = None, **options: Any) -> AsyncIterator[str]:
    """The URL of a server that serves the app in this context. `options`: those of `server_for`."""
    listener = listener or listen("127.0.0.1", 0)
    server = server_for(app, **options)
    running = asyncio.create_task(server._serve([listener]))
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        await running


@asynccontextmanager
async def serving(resources: Resources, **settings: Any) -> AsyncIterator[str]:
    """Run the service with other settings."""
    chosen = msgspec.structs.replace(resources.settings, **settings)
    other = msgspec.structs.replace(resources, settings=chosen, proxies=Proxies(chosen.trusted_proxies))
    async with serve(create_app(other)) as url:
        yield url
