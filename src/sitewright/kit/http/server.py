"""uvicorn, told to drain on SIGTERM and then simply to return."""

import asyncio
import contextlib
import signal
import socket
from collections.abc import Generator

import uvicorn

from sitewright.kit.http.asgi import HttpApp
from sitewright.kit.http.connection import Connection


class DrainingServer(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """uvicorn raises the signal again after draining, which would end the process with an error."""
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, self.handle_exit, signal.SIGTERM, None)
        yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for listener in sockets or []:
            await self._accept_waiting(listener)
        await super().shutdown(sockets)

    async def _accept_waiting(self, listener: socket.socket) -> None:
        """Callers already in the queue of a listener that closes would be reset; take them in first."""
        loop = asyncio.get_running_loop()
        with contextlib.suppress(OSError):  # among them: nobody waits any more
            while True:
                accepted, _ = listener.accept()
                accepted.setblocking(False)
                await loop.connect_accepted_socket(
                    lambda: Connection(self.config, self.server_state, self.lifespan.state, loop), accepted
                )


def server_for(app: HttpApp, *, drain_seconds: int = 30) -> DrainingServer:
    config = uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=drain_seconds,
    )
    return DrainingServer(config)


async def serve(app: HttpApp, listener: socket.socket, *, drain_seconds: int) -> None:
    await server_for(app, drain_seconds=drain_seconds).serve(sockets=[listener])


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
