"""HTTPS in front of a service without it, as a reverse proxy provides it: it adds `X-Forwarded-Proto`."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from tests.support.certificates import authority, pem


@asynccontextmanager
async def https_in_front_of(port: int, folder: Path) -> AsyncIterator[tuple[str, Path]]:
    """The https URL of the service on `port`, and the file with the authority that clients must trust."""
    leaf = authority().issue("localhost")
    (folder / "ca.pem").write_text(pem(authority().certificate))
    (folder / "server.pem").write_text(leaf.key + leaf.cert)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(folder / "server.pem")

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            onward_reader, onward_writer = await asyncio.open_connection("127.0.0.1", port)
            lines = [line for line in head[:-4].split(b"\r\n") if not line.lower().startswith(b"connection:")]
            lines += [b"X-Forwarded-Proto: https", b"Connection: close", b"", b""]
            onward_writer.write(b"\r\n".join(lines))
            carrying = asyncio.create_task(_carry(reader, onward_writer))
            await _carry(onward_reader, writer)
            carrying.cancel()
            onward_writer.close()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    try:
        yield f"https://localhost:{server.sockets[0].getsockname()[1]}", folder / "ca.pem"
    finally:
        server.close()


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
