"""One connection, as uvicorn's httptools protocol speaks it, held to two rules of ours, and with one short way.

A header block is bounded, in size and in time; uvicorn's may grow, and be waited for, without end. And a draining
connection is not cut: a request that was on its way when the server was told to stop still gets its answer, which then
says `Connection: close`.

An app may have a method `at_hand(scope, headers) -> Ready | None`. It is asked first about GETs, and what it has ready
is written at once: a task and uvicorn's machinery for it would cost more than such an answer itself (decision 0021).
"""

import asyncio
import secrets
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from sitewright.kit.http.answers import problem_answered
from sitewright.kit.http.asgi import ANNOUNCE_PROCESSING, AtHand
from sitewright.kit.http.front import MAX_HEADER_BYTES
from sitewright.kit.problems import HeadersTooLarge, Problem
from sitewright.kit.versions import NEWEST

LINGER_SECONDS = 1.0
IDLE_GRACE_SECONDS = 1.0


class NotHttp(Problem):
    status = 400
    code = "notHttp"
    title = "This is not HTTP"


def _whole_answer(problem: Problem) -> bytes:
    """For what never becomes a request: a problem document with an id, as everywhere."""
    request_id = secrets.token_hex(16)
    answer = problem_answered(problem, request_id)
    head = (
        f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}\r\ncontent-type: {answer.content_type}\r\n"
        f"content-length: {len(answer.body)}\r\nx-request-id: {request_id}\r\nx-api-version: 7.{NEWEST}\r\n"
        "connection: close\r\n\r\n"
    )
    return head.encode() + answer.body


INTERIM = b"HTTP/1.1 100 "
PROCESSING = b"HTTP/1.1 102 Processing\r\n\r\n"
CLOSES = b"\r\nconnection: close\r\n"


class Gathering:
    """Sends the head of an answer together with the beginning of its body: one write, one packet.

    uvicorn writes them apart. Whatever follows, a body, the end or a close, sends what is held back. A 102 that the app
    announced goes before it all, in the same write; not where the connection closes with this answer, as it does for
    HTTP/1.0, since clients that take the 102 for the answer would not know of that.
    """

    _is_processing = False

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._head: bytes | None = b""

    @classmethod
    def around(cls, cycle: RequestResponseCycle) -> None:
        gathering, ended = cls(cycle.transport), cycle.on_response

        def end() -> None:
            gathering.flush()
            ended()

        cycle.transport = gathering  # type: ignore[assignment]  # a cycle only writes and closes
        cycle.scope[ANNOUNCE_PROCESSING] = gathering.announce_processing  # type: ignore[literal-required]
        cycle.on_response = end

    def announce_processing(self) -> None:
        self._is_processing = True

    def write(self, data: bytes) -> None:
        if self._head is None or (not self._head and data.startswith(INTERIM)):
            self._transport.write(data)
        elif not self._head:
            self._head = PROCESSING + data if self._is_processing and CLOSES not in data else data
        else:
            self._transport.write(self._head + data)
            self._head = None

    def flush(self) -> None:
        if self._head:
            self._transport.write(self._head)
        self._head = None

    def close(self) -> None:
        self.flush()
        self._transport.close()

    def is_closing(self) -> bool:
        return self._transport.is_closing()


class Connection(HttpToolsProtocol):
    _header_bytes = 0
    _in_headers = False
    _waiting_since = 0.0
    _refused = False
    _draining = False

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._at_hand: AtHand | None = getattr(self.app, "at_hand", None)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._waiting_since = self.loop.time()
        self._wait_for_headers()

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        super().data_received(data)
        if self._in_headers:
            self._wait_for_headers()
            self._header_bytes += len(data)
            if self._header_bytes > MAX_HEADER_BYTES:
                self._refuse(HeadersTooLarge())

    def _wait_for_headers(self) -> None:
        """As long as for the next request of a connection that is kept, however slowly they come."""
        self._unset_keepalive_if_required()
        until = self._waiting_since + self.timeout_keep_alive
        self.timeout_keep_alive_task = self.loop.call_at(until, self.timeout_keep_alive_handler)

    def on_message_begin(self) -> None:
        self._in_headers = True
        self._waiting_since = self.loop.time()
        self._header_bytes = 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._in_headers = False
        if self._at_hand is not None and self._is_plain_get():
            ready = self._at_hand(self.scope, dict(self.headers))
            if ready is not None:
                self._write_ready(*ready)
                return
        super().on_headers_complete()
        Gathering.around(self.cycle)
        if self._draining:
            self.cycle.keep_alive = False

    def _is_plain_get(self) -> bool:
        """Nothing about it or about the connection is special. Fills in the scope, as far as it goes. Whether there is
        a body is for the app to see."""
        self.scope["method"] = "GET"
        self.scope["raw_path"], _, self.scope["query_string"] = self.url.partition(b"?")
        return (
            self.parser.get_method() == b"GET"
            and self.parser.get_http_version() == "1.1"
            and self.parser.should_keep_alive()
            and not self.parser.should_upgrade()
            and self._is_idle()
            and not (self._draining or self.flow.write_paused or self.expect_100_continue)
        )

    def _write_ready(self, head: bytes, body: bytes) -> None:
        for header in self.server_state.default_headers:
            head += b"%s: %s\r\n" % header
        self.transport.write(b"".join((head, b"\r\n", body)))
        self.on_response_complete()

    def on_message_complete(self) -> None:
        if self.cycle is not None:  # else every request so far went the short way
            super().on_message_complete()

    def shutdown(self) -> None:
        self._draining = True
        if self._in_headers or self._is_idle():
            self.loop.call_later(IDLE_GRACE_SECONDS, self._close_if_idle)
        else:
            self.cycle.keep_alive = False

    def _is_idle(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle  # None before the first request
        return not self._in_headers and (cycle is None or cycle.response_complete)

    def _close_if_idle(self) -> None:
        if self._is_idle() or self._in_headers:  # whoever has not sent its headers by now had its time
            self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """What the parser cannot make sense of."""
        self._refuse(NotHttp(msg))

    def _refuse(self, problem: Problem) -> None:
        """Closing at once would reset the connection while the client still sends, and it would miss the answer."""
        self._refused = True
        self.transport.write(_whole_answer(problem))
        if self.transport.can_write_eof():  # TLS has no such half
            self.transport.write_eof()
        self.loop.call_later(LINGER_SECONDS, self.transport.close)
