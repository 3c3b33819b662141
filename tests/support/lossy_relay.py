"""A TCP port in front of the service that loses the responses of the first connections, after they were sent."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit


class LossyRelay:
    def __init__(self, service_url: str) -> None:
        self._service = urlsplit(service_url)
        self.losses = 1
        """How many more connections end as soon as the service has responded."""
        self.lost: list[bytes] = []
        """The responses that did not arrive."""
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        onward_reader, onward_writer = await asyncio.open_connection(self._service.hostname, self._service.port)
        loses, self.losses = self.losses > 0, max(self.losses - 1, 0)
        requests = asyncio.create_task(_copy(reader, onward_writer))
        if loses:
            self.lost.append(await onward_reader.read(65536))
        else:
            await _copy(onward_reader, writer)
        requests.cancel()
        writer.close()
        onward_writer.close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()


@asynccontextmanager
async def lossy_relay(service_url: str, losses: int = 1) -> AsyncIterator[LossyRelay]:
    relay = LossyRelay(service_url)
    relay.losses = losses
    server = await asyncio.start_server(relay.carry, "127.0.0.1", 0)
    relay.port = server.sockets[0].getsockname()[1]
    try:
        yield relay
    finally:
        server.close()
