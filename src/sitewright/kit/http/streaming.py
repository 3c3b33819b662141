"""Answers that are too large to be held: sent piece by piece, no faster than the client takes them."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable

from sitewright.kit.http.answers import Answered
from sitewright.kit.http.asgi import Receive, Send


class Streamed(Answered, frozen=True, kw_only=True):
    """`pieces` makes the body, which is `length` bytes long; HEAD asks for none of it."""

    length: int
    pieces: Callable[[], AsyncIterator[bytes]]


async def send_streamed(
    answer: Streamed, headers: Iterable[tuple[bytes, bytes]], method: str, receive: Receive, send: Send
) -> None:
    own = [(name.lower().encode(), value.encode()) for name, value in answer.headers.items()]
    own.append((b"content-type", answer.content_type.encode()))
    own.append((b"content-length", b"%d" % answer.length))
    await send({"type": "http.response.start", "status": answer.status, "headers": [*own, *headers]})
    if method != "HEAD" and not await _send_pieces(answer, receive, send):
        return
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _send_pieces(answer: Streamed, receive: Receive, send: Send) -> bool:
    """Whether the client took all of them."""
    leaving = asyncio.create_task(_client_leaves(receive))
    try:
        async for piece in answer.pieces():
            await send({"type": "http.response.body", "body": piece, "more_body": True})
            if leaving.done():
                return False
        return True
    finally:
        leaving.cancel()


async def _client_leaves(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
