"""One connection: uvicorn's httptools protocol with limits, deadlines and a fast path for cached responses.

Headers, trailers and pipelined requests are bounded, and every phase of a connection has a timeout (limits.py); the
server checks deadlines once a second, which costs less than timers for each request. Every request that arrived
completely gets its response, even if invalid bytes follow it or the server is draining; then the connection closes.

Fast path: an app may have a method `cached_response(scope, headers) -> Ready | None`. It is called first for GETs, and
its response is written at once: a task and uvicorn's request cycle would cost more than the response itself (decision
0021).
"""

import asyncio
import fcntl
import math
import socket
import struct
import sys
import termios
from contextlib import suppress
from typing import Any

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from sitewright.kit.http.asgi import CachedResponse
from sitewright.kit.http.limits import (
    MAX_HEADER_BYTES,
    MAX_PIPELINED,
    MAX_UNPARSED_BYTES,
    SLICE_BYTES,
    AddressLimit,
    CountedConnection,
    WireLimits,
)
from sitewright.kit.http.protocol_errors import NoHost, NotHttp, SeveralHosts, raw_response
from sitewright.kit.http.write_coalescing import KEEP_ALIVE, CoalescingTransport
from sitewright.kit.origin import NO_ADDRESS
from sitewright.kit.problems import HeadersTooLarge, Problem, RequestTooSlow

LINGER_SECONDS = 1.0
IDLE_GRACE_SECONDS = 1.0
HIGH_WATER_BYTES = 64 * 1024
NEVER = math.inf


class Connection(HttpToolsProtocol):
    _in_headers = False
    _in_body = False
    _is_idle = False
    """Idle between requests: no byte of the next one has arrived."""
    _chunks = 0
    _open_chunk = 0
    """The number of a chunk whose header was read but none of its bytes (trailers may follow instead). Else 0."""
    _deadline = NEVER
    _header_bytes = 0
    _trailer_bytes = 0
    _received = 0
    """Size of the data that is being parsed."""
    _body_left = 0
    """Bytes of the request's body that Content-Length announces and that have not been parsed."""
    _unparsed = b""
    """Bytes that arrived while `MAX_PIPELINED` requests were waiting."""
    _begun = 0
    """Requests that began in the data that is being parsed."""
    _hosts = 0
    """Number of Host headers in the request that is being parsed."""
    _stalled_since: float | None = None
    """When the client was first seen to read slower than the server writes."""
    _stalled_bytes = 0
    _stopped = False
    _closes_after_responses = False
    _draining = False

    def __init__(
        self,
        *arguments: Any,
        limits: WireLimits,
        addresses: AddressLimit,
        counted: CountedConnection | None = None,
        **options: Any,
    ) -> None:
        """A TLS port counts a connection before the handshake and passes `counted` on."""
        super().__init__(*arguments, **options)
        self._limits = limits
        self._addresses = addresses
        self._counted = counted
        self._cached_response: CachedResponse | None = getattr(self.app, "cached_response", None)

    # --- Opening and closing

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if self._counted is None:
            key = self._addresses.key_of(self.client[0] if self.client else NO_ADDRESS)
            if not self._addresses.admits(key):
                self._stopped = True
                transport.abort()
                return
            self._counted = self._addresses.count(key)
        transport.set_write_buffer_limits(high=HIGH_WATER_BYTES)  # over TLS it would be half a MiB
        self._deadline = self.loop.time() + self._limits.header_seconds

    def connection_lost(self, exc: Exception | None) -> None:
        if self._counted is not None:
            self._counted.release()
        super().connection_lost(exc)

    def check(self, now: float) -> None:
        """Time out or abort the connection if its client is too slow. Called about once a second."""
        if self.flow.write_paused or self.transport.is_closing():  # closing waits until the client has read all
            unread = unread_bytes(self.transport)
            if self._stalled_since is None:
                self._stalled_since, self._stalled_bytes = now, unread
            elif now >= self._limits.write.deadline(self._stalled_since, self._stalled_bytes - unread):
                discard_unread(self.transport)
                self.transport.abort()
        elif now >= self._deadline:
            self._time_out()

    def _time_out(self) -> None:
        self._deadline = NEVER
        if self._in_headers:
            self._stop(RequestTooSlow("The headers did not arrive in time."))
        else:
            self._stopped = True
            self.transport.close()

    # --- Reading

    def data_received(self, data: bytes) -> None:
        if self._stopped:
            return
        if self._unparsed:
            self._buffer_unparsed(data)
            return
        if self._is_idle:
            self._await_headers()
        open_chunk, was_in_body = self._open_chunk, self._in_body
        self._received, self._begun = len(data), 0
        try:
            self._parse(memoryview(data))
            if self._in_headers and self._begun <= 1 and not was_in_body:  # else the data began with another request
                self._header_bytes += len(data)
                _check_size(self._header_bytes)
            elif open_chunk and open_chunk == self._open_chunk:
                self._trailer_bytes += len(data)
                _check_size(self._trailer_bytes)
        except httptools.HttpParserError as error:
            self._stop(error.__context__ if isinstance(error.__context__, Problem) else NotHttp())
        except Problem as problem:
            self._stop(problem)

    def _await_headers(self) -> None:
        self._is_idle = False
        self._deadline = self.loop.time() + self._limits.header_seconds

    def _parse(self, data: memoryview) -> None:
        """Parse in slices, so that the rest can be buffered while too many requests are waiting. A body, which contains
        no requests, is one slice."""
        while data and len(self.pipeline) < MAX_PIPELINED:
            size = max(SLICE_BYTES, self._body_left)
            try:
                self.parser.feed_data(data[:size])
            except httptools.HttpParserUpgrade as upgrade:  # upgrades are not offered, so more HTTP follows
                data = data[upgrade.args[0] :]
                self._body_left = 0
            else:
                data = data[size:]
        if data:
            self._unparsed = bytes(data)
            self.flow.pause_reading()

    def _buffer_unparsed(self, data: bytes) -> None:
        """Data still arrives here, because a request that waits for its body resumes reading."""
        self._unparsed += data
        self.flow.pause_reading()
        if len(self._unparsed) > MAX_UNPARSED_BYTES:
            self._stop(NotHttp("Too many requests were sent without waiting for responses."))

    def on_message_begin(self) -> None:
        if self._is_idle:  # it began in the same read as the end of a request whose response is complete
            self._await_headers()
        self._in_headers = True
        self._begun += 1
        self._header_bytes = self._trailer_bytes = self._hosts = self._body_left = 0
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        name = name.lower()
        if not self._in_headers:  # trailers are ignored, but count towards their limit
            self._trailer_bytes += len(name) + len(value)
            _check_size(self._trailer_bytes)
            return
        if name == b"host":
            self._hosts += 1
        elif name == b"content-length":
            self._body_left = int(value)  # the parser accepts digits only
        elif name == b"expect" and value.lower() == b"100-continue":
            self.expect_100_continue = True
        self.headers.append((name, value))

    def on_headers_complete(self) -> None:
        if self._header_bytes + self._received > MAX_HEADER_BYTES:
            _check_size(sum(len(name) + len(value) for name, value in self.headers))
        if self._hosts > 1:
            raise SeveralHosts
        is_http_1_0 = self.parser.get_http_version() != "1.1"
        if not self._hosts and not is_http_1_0:
            raise NoHost
        self._in_headers = False
        self._deadline = NEVER
        if self._cached_response is not None and self._is_plain_get():
            cached = self._cached_response(self.scope, dict(self.headers))
            if cached is not None:
                self._in_body = True
                self._write_cached(*cached, is_http_1_0=is_http_1_0)
                return
        super().on_headers_complete()  # raises if the target is not a URL
        self._in_body = True
        CoalescingTransport.wrap(self.cycle, is_http_1_0=is_http_1_0)
        self.cycle.keep_alive = self.parser.should_keep_alive() and not self._draining

    def on_chunk_header(self) -> None:
        self._chunks += 1
        self._open_chunk = self._chunks

    def on_chunk_complete(self) -> None:
        self._open_chunk = 0

    def on_body(self, body: bytes) -> None:
        self._open_chunk = 0
        self._body_left -= len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._in_body = False
        if self._has_responded():
            self._become_idle()
        else:
            super().on_message_complete()

    # --- Responding

    def _is_plain_get(self) -> bool:
        """Whether the request may take the fast path. Sets the scope's method, path and query; the app itself checks
        for a body."""
        self.scope["method"] = "GET"
        self.scope["raw_path"], _, self.scope["query_string"] = self.url.partition(b"?")
        return (
            self.parser.get_method() == b"GET"
            and self.parser.should_keep_alive()
            and not self.parser.should_upgrade()
            and self._has_responded()
            and not (self._draining or self.flow.write_paused or self.expect_100_continue)
        )

    def _write_cached(self, head: bytes, body: bytes | memoryview, *, is_http_1_0: bool) -> None:
        for header in self.server_state.default_headers:
            head += b"%s: %s\r\n" % header
        if is_http_1_0:
            head += KEEP_ALIVE
        self.transport.write(b"".join((head, b"\r\n", body)))
        self.server_state.total_requests += 1

    def on_response_complete(self) -> None:
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            return
        if not self._unparsed:
            self.flow.resume_reading()
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())
        elif self._closes_after_responses:
            self.transport.close()
        else:
            self._become_idle()
        if self._unparsed and len(self.pipeline) < MAX_PIPELINED // 2:
            unparsed, self._unparsed = self._unparsed, b""
            self.data_received(unparsed)

    def _become_idle(self) -> None:
        """Every response is complete: wait for the rest of an unread body, or for the next request."""
        now = self.loop.time()
        if self._in_body:
            self._deadline = now + self._limits.body.seconds
        elif self._in_headers:
            self._deadline = now + self._limits.header_seconds
        else:
            self._is_idle = True
            self._deadline = now + self._limits.idle_seconds

    def resume_writing(self) -> None:
        self._stalled_since = None
        super().resume_writing()

    # --- Stopping

    def shutdown(self) -> None:
        self._draining = True
        if self._has_responded():
            self.loop.call_later(IDLE_GRACE_SECONDS, self._close_if_responded)
        else:
            self.cycle.keep_alive = False

    def _has_responded(self) -> bool:
        """Whether every request that arrived completely has its response; another one may have begun to arrive."""
        cycle: RequestResponseCycle | None = self.cycle  # None before the first request
        return cycle is None or cycle.response_complete

    def _close_if_responded(self) -> None:
        """The grace period is over: close, unless a request arrived meanwhile, whose response then closes."""
        if self._has_responded():
            self.transport.close()

    def _stop(self, problem: Problem) -> None:
        """Stop reading. Requests that arrived completely still get their responses; otherwise send `problem` now."""
        self._stopped = True
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is None or cycle.response_complete:
            self._reject(problem, has_responded=self._in_body)
        elif not self._in_body or cycle.response_started:
            cycle.keep_alive = False
        elif self.pipeline:  # drop the incomplete request, and respond to the complete ones before it
            self.pipeline.popleft()
            self._closes_after_responses = True
        else:
            cycle.disconnected = True
            cycle.message_event.set()
            self._reject(problem, has_responded=False)

    def _reject(self, problem: Problem, *, has_responded: bool) -> None:
        """Linger: closing at once would reset the connection while the client still sends, and lose the response."""
        if not has_responded:
            headers = self.headers or []  # as far as they were read; None before the first request
            self.transport.write(raw_response(problem, headers, self.url if headers else b""))
        if self.transport.can_write_eof():  # TLS has no half-close
            self.transport.write_eof()
        self.loop.call_later(LINGER_SECONDS, self.transport.close)


def unread_bytes(transport: asyncio.Transport) -> int:
    """Bytes that the client's system has not acknowledged: in the transport's buffer and in the kernel's.

    The transport's buffer alone says too little: the kernel takes more only when a third of its own buffer is free
    again, which takes minutes with a slow client.
    """
    with suppress(OSError, AttributeError):  # the socket may be closed
        queued = fcntl.ioctl(transport.get_extra_info("socket").fileno(), termios.TIOCOUTQ, bytes(4))
        return transport.get_write_buffer_size() + int.from_bytes(queued, sys.byteorder)
    return 0


def discard_unread(transport: asyncio.Transport) -> None:
    """Make closing reset the connection; otherwise the kernel would keep the unread bytes for minutes."""
    with suppress(OSError, AttributeError):
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def _check_size(size: int) -> None:
    if size > MAX_HEADER_BYTES:
        raise HeadersTooLarge
