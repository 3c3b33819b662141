"""A minimal receiver of webhooks that only accepts and counts them."""

import asyncio
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from benchmarks.figures import MeasurementFailed

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


class Receiver:
    def __init__(self, keep: bool) -> None:
        self._keep = keep
        self._awaited = 0
        self._all_there = asyncio.Event()
        self.count = 0
        self.last_at = 0.0
        self.kept: list[tuple[float, bytes]] = []
        """When each body arrived."""

    def take(self, body: bytes) -> None:
        self.count += 1
        self.last_at = time.perf_counter()
        if self._keep:
            self.kept.append((self.last_at, body))
        if self.count >= self._awaited > 0:
            self._all_there.set()

    async def until(self, count: int, seconds: float) -> None:
        self._awaited = count
        if self.count >= count:
            return
        try:
            await asyncio.wait_for(self._all_there.wait(), seconds)
        except TimeoutError:
            raise MeasurementFailed(f"{self.count} of {count} webhooks arrived within {seconds:.0f} s") from None


class Connection(asyncio.Protocol):
    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver
        self._read = b""
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]  # a stream's transport can always be written to

    def data_received(self, data: bytes) -> None:
        self._read += data
        head, separator, body = self._read.partition(b"\r\n\r\n")
        length = _LENGTH.search(head)
        if not separator or length is None or len(body) < int(length[1]) or self._transport is None:
            return
        self._read = b""
        self._receiver.take(body)
        self._transport.write(OK)


@asynccontextmanager
async def receiving(port: int, *, keep: bool = False) -> AsyncIterator[Receiver]:
    receiver = Receiver(keep)
    server = await asyncio.get_running_loop().create_server(lambda: Connection(receiver), "127.0.0.1", port)
    try:
        yield receiver
    finally:
        server.close()
