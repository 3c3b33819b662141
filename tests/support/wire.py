"""Bytes on a socket, for what no HTTP client would send."""

import asyncio
from urllib.parse import urlsplit

from tests.support.timeouts import HANG_SECONDS


async def exchange(base_url: str, request: bytes, *, limit: float = HANG_SECONDS) -> bytes:
    """Send `request` and read until the server closes the connection."""
    address = urlsplit(base_url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    try:
        writer.write(request)
        async with asyncio.timeout(limit):
            return await reader.read()
    except ConnectionResetError:
        return b""
    finally:
        writer.close()


def status_of(response: bytes) -> int:
    return int(response.split(b" ", 2)[1])
