"""The service's own HTTP layer with one POST that writes one row, to isolate its cost from that of a feature."""

import os
from contextlib import AsyncExitStack
from typing import Annotated, Any

import msgspec

from benchmarks.peers import DATABASE_VARIABLE, FOLDER_VARIABLE
from sitewright.app import create_app
from sitewright.features import LIFECYCLE, MAIL
from sitewright.kit import audit
from sitewright.kit.http import Call, endpoint
from sitewright.kit.http.about import about
from sitewright.kit.http.asgi import HttpApp, Receive, Send
from sitewright.kit.resources import open_resources
from sitewright.settings import Settings


class Written(msgspec.Struct):
    """The response."""

    subject: Annotated[str, about("What the row is about.", "benchmark")]


@endpoint("POST", "/written")
async def write(call: Call) -> Written:
    """Write one audit entry."""
    await audit.record(
        call.tx, actor=call.caller.name, action="create", subject="benchmark", ref=None, brand_ref=call.brand_ref
    )
    return Written("benchmark")


class PostingApp:
    def __init__(self) -> None:
        self._app: HttpApp | None = None

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif self._app is not None:
            await self._app(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        settings = Settings(data_dir=os.environ[FOLDER_VARIABLE], workers=1)
        async with AsyncExitStack() as stack:
            opened = open_resources(
                settings, os.environ[DATABASE_VARIABLE], name="posting", lifecycle=LIFECYCLE, mail=MAIL
            )
            self._app = create_app(await stack.enter_async_context(opened), [write])
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})


app = PostingApp()
