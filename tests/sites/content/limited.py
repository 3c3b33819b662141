"""A service with other settings, on the same database."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import msgspec

from sitewright.app import ENDPOINTS, create_app
from sitewright.kit.http.server import listen, server_for
from sitewright.kit.resources import Resources
from tests.support import contract
from tests.support.cast import Cast, SignedBy
from tests.support.http_clients import http_client


@asynccontextmanager
async def limited_service(resources: Resources, cast: Cast, **changed: Any) -> AsyncIterator[httpx.AsyncClient]:
    """The owner's client of a service with these settings."""
    settings = msgspec.structs.replace(resources.settings, **changed)
    listener = listen("127.0.0.1", 0)
    server = server_for(create_app(msgspec.structs.replace(resources, settings=settings), ENDPOINTS))
    serving = asyncio.create_task(server._serve([listener]))
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    async with http_client(url, auth=SignedBy(cast.owner), event_hooks=contract.HOOKS) as client:
        yield client
    server.should_exit = True
    await serving
