"""The API with other settings, on a separate port."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from sitewright.app import create_app
from sitewright.kit.http.server import listen, server_for
from sitewright.kit.origin import Proxies
from sitewright.kit.resources import Resources


@asynccontextmanager
async def serving(resources: Resources, **settings: Any) -> AsyncIterator[str]:
    """Run the service with other settings."""
    chosen = msgspec.structs.replace(resources.settings, **settings)
    other = msgspec.structs.replace(resources, settings=chosen, proxies=Proxies(chosen.trusted_proxies))
    listener = listen("127.0.0.1", 0)
    server = server_for(create_app(other))
    running = asyncio.create_task(server._serve([listener]))
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    await running
