"""Write coalescing: a response's head and body leave in one write; adds the HTTP/1.0 keep-alive header."""

import asyncio

from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from sitewright.kit.http.asgi import ANNOUNCE_PROCESSING

INTERIM = b"HTTP/1.1 100 "
PROCESSING = b"HTTP/1.1 102 Processing\r\n\r\n"
CLOSES = b"\r\nconnection: close\r\n"
KEEP_ALIVE = b"connection: keep-alive\r\n"
COPIED_BYTES = 64 * 1024
"""Larger bodies are written separately from their head: joining them would copy them for every slow client."""


class CoalescingTransport:
    """A transport that buffers a response's head until the first body bytes: one write, one packet.

    uvicorn writes them separately. A body, the end of the response or a close flushes the head. A 102 that the app
    announced precedes them in the same write, but not if the connection closes with this response, nor for HTTP/1.0:
    clients that take the 102 for the response would miss that.
    """

    _is_processing = False

    def __init__(self, transport: asyncio.Transport, *, is_http_1_0: bool = False) -> None:
        self._transport = transport
        self._is_http_1_0 = is_http_1_0
        self._head: bytes | None = b""

    @classmethod
    def wrap(cls, cycle: RequestResponseCycle, *, is_http_1_0: bool) -> None:
        transport, on_response = cls(cycle.transport, is_http_1_0=is_http_1_0), cycle.on_response

        def flush_and_end() -> None:
            transport.flush()
            on_response()

        cycle.transport = transport  # type: ignore[assignment]  # a cycle only writes and closes
        cycle.scope[ANNOUNCE_PROCESSING] = transport.announce_processing  # type: ignore[literal-required]
        cycle.on_response = flush_and_end

    def announce_processing(self) -> None:
        self._is_processing = not self._is_http_1_0

    def write(self, data: bytes) -> None:
        if self._head is None or (not self._head and data.startswith(INTERIM)):
            self._send(data)
        elif not self._head:
            self._head = self._with_connection_header(data)
        elif len(data) > COPIED_BYTES:
            self.flush()
            self._send(data)
        else:
            self._send(self._head + data)
            self._head = None

    def _send(self, data: bytes) -> None:
        """Skip disconnected clients: uvicorn marks only the newest of several pipelined requests as disconnected."""
        if not self._transport.is_closing():
            self._transport.write(data)

    def _with_connection_header(self, head: bytes) -> bytes:
        if CLOSES in head:
            return head
        if self._is_http_1_0:  # its default is to close the connection
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
