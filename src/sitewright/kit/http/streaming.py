"""Streamed responses: bodies too large for memory, sent in chunks no faster than the client reads them."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable

from sitewright.kit.http.asgi import Receive, Send
from sitewright.kit.http.responses import Response


class Streamed(Response, frozen=True, kw_only=True):
    """`chunks` generates the body; it is not called for HEAD. `length` in bytes, where it is known beforehand."""

    length: int | None
    chunks: Callable[[], AsyncIterator[bytes]]


async def send_streamed(
    response: Streamed, headers: Iterable[tuple[bytes, bytes]], method: str, receive: Receive, send: Send
) -> None:
    own = [(name.lower().encode(), value.encode()) for name, value in response.headers.items()]
    own.append((b"content-type", response.content_type.encode()))
    if response.length is not None:
        own.append((b"content-length", b"%d" % response.length))
    await send({"type": "http.response.start", "status": response.status, "headers": [*own, *headers]})
    if method != "HEAD" and not await _send_chunks(response, receive, send):
        return
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _send_chunks(response: Streamed, receive: Receive, send: Send) -> bool:
    """Whether the client read all of them."""
    disconnect = asyncio.create_task(wait_for_disconnect(receive))
    try:
        async for chunk in response.chunks():
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
            if disconnect.done():
                return False
        return True
    finally:
        disconnect.cancel()


async def wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
