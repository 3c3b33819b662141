"""A page from memory in a plain ASGI handler."""

import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from benchmarks.peers import FOLDER_VARIABLE, PAGE

Send = Callable[[dict[str, Any]], Awaitable[None]]
BODY = (Path(os.environ[FOLDER_VARIABLE]) / PAGE).read_bytes()
HEADERS = [(b"content-type", b"text/html; charset=utf-8"), (b"content-length", str(len(BODY)).encode())]


async def app(scope: dict[str, Any], receive: Callable[[], Awaitable[dict[str, Any]]], send: Send) -> None:
    if scope["type"] == "lifespan":
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await send({"type": "lifespan.shutdown.complete"})
        return
    await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
    await send({"type": "http.response.body", "body": BODY})
