"""The load generator: prebuilt requests, sent over keep-alive connections, one at a time on each.

It shares the machine's cores with the server it measures, so it only counts complete successful responses.
"""

import asyncio
import re
import time
from collections.abc import Sequence
from typing import Any

import msgspec
import uvloop

from benchmarks.figures import MeasurementFailed

CONNECTIONS = 16
LONGEST_SECONDS = 60
SUCCESSES = (b"HTTP/1.1 200 ", b"HTTP/1.1 201 ")
_CONTENT_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


def requests_per_second(address: tuple[str, int], requests: Sequence[bytes]) -> float:
    """Send every request once. Any status other than 200 or 201 fails the measurement."""
    return uvloop.run(send_all(address, requests)).rate


class Times(msgspec.Struct, frozen=True):
    """When concurrent work started, and when each item was done."""

    started: float
    done: list[float]

    @property
    def rate(self) -> float:
        return len(self.done) / (self.done[-1] - self.started)

    def rate_while_busy(self, at_once: int) -> float:
        """The rate without the tail, where some connections are idle: from the first item done to the last one after
        which another starts. Slow items are few per round, so the tail would matter."""
        busy = self.done[:-at_once]
        return (len(busy) - 1) / (busy[-1] - busy[0]) if len(busy) > at_once else self.rate


class Load:
    """The remaining requests, shared by all connections."""

    def __init__(self, requests: Sequence[bytes]) -> None:
        self._unsent = iter(requests)
        self._pending = len(requests)
        self.responded_at: list[float] = []
        self.finished: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def next_request(self) -> bytes | None:
        return next(self._unsent, None)

    def count_response(self) -> None:
        self._pending -= 1
        self.responded_at.append(time.perf_counter())
        if not self._pending and not self.finished.done():
            self.finished.set_result(None)

    def fail(self, reason: str) -> None:
        if not self.finished.done():
            self.finished.set_exception(MeasurementFailed(reason))


class Connection(asyncio.Protocol):
    def __init__(self, load: Load) -> None:
        self._load = load
        self._reply = b""
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]  # a stream's transport can always be written to

    def send_next(self) -> None:
        request = self._load.next_request()
        if request is not None and self._transport is not None:
            self._transport.write(request)

    def data_received(self, data: bytes) -> None:
        self._reply += data
        try:
            if not is_whole(self._reply):
                return
        except MeasurementFailed as failure:
            self._load.fail(str(failure))
            return
        self._reply = b""
        self._load.count_response()
        self.send_next()

    def connection_lost(self, exc: Exception | None) -> None:
        self._load.fail(f"the server closed a connection: {exc or 'without an error'}")


def is_whole(reply: bytes) -> bool:
    """Whether a response is complete; its status must be 200 or 201."""
    head, separator, body = reply.partition(b"\r\n\r\n")
    if not separator:
        return False
    length = _CONTENT_LENGTH.search(head)
    if length is None:
        raise MeasurementFailed(f"a response without Content-Length: {head[:100]!r}")
    if len(body) < int(length[1]):
        return False
    if not head.startswith(SUCCESSES):
        raise MeasurementFailed(f"{head.splitlines()[0].decode('latin-1')}: {body[:200].decode(errors='replace')}")
    return True


async def read_reply(reader: asyncio.StreamReader) -> Any:
    """The decoded body of the next response."""
    reply = b""
    while not is_whole(reply):
        received = await reader.read(65536)
        if not received:
            raise MeasurementFailed("the server closed a connection")
        reply += received
    return msgspec.json.decode(reply.partition(b"\r\n\r\n")[2])


async def read_body(reader: asyncio.StreamReader) -> bytes:
    """The body of the next response, which may be large: it is copied once."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = _CONTENT_LENGTH.search(head)
    if length is None or not head.startswith(SUCCESSES):
        raise MeasurementFailed(f"a response that is no success of a known length: {head[:100]!r}")
    return await reader.readexactly(int(length[1]))


async def send_all(address: tuple[str, int], requests: Sequence[bytes]) -> Times:
    load = Load(requests)
    loop = asyncio.get_running_loop()
    pairs = [await loop.create_connection(lambda: Connection(load), *address) for _ in range(CONNECTIONS)]
    started = time.perf_counter()
    for _, connection in pairs:
        connection.send_next()
    try:
        await asyncio.wait_for(load.finished, LONGEST_SECONDS)
    except TimeoutError:
        raise MeasurementFailed(f"{len(requests)} requests took more than {LONGEST_SECONDS} s") from None
    finally:
        for transport, _ in pairs:
            transport.abort()
    return Times(started, load.responded_at)
