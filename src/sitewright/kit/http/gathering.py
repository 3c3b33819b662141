"""What a response writes on its connection: head and body together, and what HTTP/1.0 needs to be told."""

import asyncio

from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from sitewright.kit.http.asgi import ANNOUNCE_PROCESSING

INTERIM = b"HTTP/1.1 100 "
PROCESSING = b"HTTP/1.1 102 Processing\r\n\r\n"
CLOSES = b"\r\nconnection: close\r\n"
KEEP_ALIVE = b"connection: keep-alive\r\n"
COPIED_BYTES = 64 * 1024
"""Larger bodies are written apart from their head: joining them would copy them for every client that reads slowly."""


class Gathering:
    """Sends the head of an answer together with the beginning of its body: one write, one packet.

    uvicorn writes them apart. Whatever follows, a body, the end or a close, sends what is held back. A 102 that the app
    announced goes before it all, in the same write; not where the connection closes with this answer, nor for HTTP/1.0,
    since clients that take the 102 for the answer would not know of that.
    """

    _is_processing = False

    def __init__(self, transport: asyncio.Transport, *, is_http_1_0: bool = False) -> None:
        self._transport = transport
        self._is_http_1_0 = is_http_1_0
        self._head: bytes | None = b""

    @classmethod
    def around(cls, cycle: RequestResponseCycle, *, is_http_1_0: bool) -> None:
        gathering, ended = cls(cycle.transport, is_http_1_0=is_http_1_0), cycle.on_response

        def end() -> None:
            gathering.flush()
            ended()

        cycle.transport = gathering  # type: ignore[assignment]  # a cycle only writes and closes
        cycle.scope[ANNOUNCE_PROCESSING] = gathering.announce_processing  # type: ignore[literal-required]
        cycle.on_response = end

    def announce_processing(self) -> None:
        self._is_processing = not self._is_http_1_0

    def write(self, data: bytes) -> None:
        if self._head is None or (not self._head and data.startswith(INTERIM)):
            self._send(data)
        elif not self._head:
            self._head = self._completed(data)
        elif len(data) > COPIED_BYTES:
            self.flush()
            self._send(data)
        else:
            self._send(self._head + data)
            self._head = None

    def _send(self, data: bytes) -> None:
        """Nothing to a client that is gone: uvicorn tells only the newest of several requests of that."""
        if not self._transport.is_closing():
            self._transport.write(data)

    def _completed(self, head: bytes) -> bytes:
        if CLOSES in head:
            return head
        if self._is_http_1_0:  # such a client takes it that a connection closes, unless it is told
            return head[:-2] + KEEP_ALIVE + head[-2:]
        return PROCESSING + head if self._is_processing else head

    def flush(self) -> None:
        if self._head:
            self._send(self._head)
        self._head = None

    def close(self) -> None:
        self.flush()
        self._transport.close()

    def is_closing(self) -> bool:
        return self._transport.is_closing()
