"""A TCP port that forwards to a local socket, so that the embedded PostgreSQL appears to be on another machine."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from urllib.parse import parse_qs, urlsplit


def socket_of(url: str) -> str:
    return parse_qs(urlsplit(url).query)["host"][0] + "/.s.PGSQL.5432"


def over_tcp(url: str, host: str, port: int) -> str:
    """The same database and log-in, through the relay."""
    parts = urlsplit(url)
    return f"postgresql://{parts.username}:{parts.password}@{host}:{port}{parts.path}"


async def start_relay(socket: str, host: str, port: int = 0) -> asyncio.Server:
    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        onward_reader, onward_writer = await asyncio.open_unix_connection(socket)
        async with asyncio.TaskGroup() as group:
            group.create_task(_copy(reader, onward_writer))
            group.create_task(_copy(onward_reader, writer))

    return await asyncio.start_server(carry, host, port)


@asynccontextmanager
async def relayed(url: str) -> AsyncIterator[str]:
    """The URL of the same database over TCP, on this machine."""
    server = await start_relay(socket_of(url), "127.0.0.1")
    try:
        yield over_tcp(url, *server.sockets[0].getsockname())
    finally:
        server.close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()


async def _serve(socket: str, host: str, port: str) -> None:
    server = await start_relay(socket, host, int(port))
    print("ready", flush=True)  # noqa: T201
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(*sys.argv[1:]))
