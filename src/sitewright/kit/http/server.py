"""uvicorn, held to our rules: bounded headers, and SIGTERM that drains and then simply returns."""

import asyncio
import contextlib
import signal
import socket
from collections.abc import Generator
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from sitewright.kit.http.asgi import HttpApp

MAX_HEADER_BYTES = 64 * 1024
TOO_MANY_HEADERS = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class BoundedProtocol(HttpToolsProtocol):
    """uvicorn's httptools protocol lets a header block grow without end; this one does not."""

    _header_bytes = 0
    _in_headers = False

    def data_received(self, data: bytes) -> None:
        if self._in_headers:
            self._header_bytes += len(data)
            if self._header_bytes > MAX_HEADER_BYTES:
                self.transport.write(TOO_MANY_HEADERS)
                self.transport.close()
                return
        super().data_received(data)

    def on_message_begin(self) -> None:
        self._in_headers = True
        self._header_bytes = 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._in_headers = False
        super().on_headers_complete()


class DrainingServer(uvicorn.Server):
    """uvicorn raises SIGTERM again after draining, which would end the process with an error."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, self.handle_exit, signal.SIGTERM, None)
        yield


def server_for(app: HttpApp, **options: Any) -> DrainingServer:
    config = uvicorn.Config(
        app,
        http=BoundedProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=75,
        **options,
    )
    return DrainingServer(config)


async def serve(app: HttpApp, listener: socket.socket, *, drain_seconds: int) -> None:
    await server_for(app, timeout_graceful_shutdown=drain_seconds).serve(sockets=[listener])


def listen(host: str, port: int) -> socket.socket:
    """The listening socket of a part; the supervisor holds it, so a restarted part finds its callers waiting."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError:
        listener.close()
        raise
    listener.listen(2048)
    listener.setblocking(False)
    return listener
