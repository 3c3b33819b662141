"""uvicorn, told to drain on SIGTERM and then simply to return."""

import asyncio
import contextlib
import signal
import socket
from collections.abc import Generator

import uvicorn

from sitewright.kit.http.asgi import HttpApp
from sitewright.kit.http.connection import Connection
from sitewright.kit.http.tls_port import Tls, TlsPort


class DrainingServer(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, tls: Tls | None = None) -> None:
        super().__init__(config)
        self._tls = tls
        self.tls_port: TlsPort | None = None

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """uvicorn raises the signal again after draining, which would end the process with an error."""
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, self.handle_exit, signal.SIGTERM, None)
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self._tls is not None:
            self.tls_port = TlsPort(self._tls, self._connection)
            self.tls_port.open()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for listener in sockets or []:
            await self._accept_waiting(listener)
        if self.tls_port is not None:
            await self.tls_port.close()
        await super().shutdown(sockets)

    def _connection(self) -> Connection:
        return Connection(self.config, self.server_state, self.lifespan.state, asyncio.get_running_loop())

    async def _accept_waiting(self, listener: socket.socket) -> None:
        """Callers already in the queue of a listener that closes would be reset; take them in first."""
        loop = asyncio.get_running_loop()
        with contextlib.suppress(OSError):  # among them: nobody waits any more
            while True:
                accepted, _ = listener.accept()
                accepted.setblocking(False)
                await loop.connect_accepted_socket(self._connection, accepted)


def server_for(app: HttpApp, *, drain_seconds: int = 30, tls: Tls | None = None) -> DrainingServer:
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
    return DrainingServer(config, tls)


async def serve(app: HttpApp, listener: socket.socket, *, drain_seconds: int, tls: Tls | None = None) -> None:
    await server_for(app, drain_seconds=drain_seconds, tls=tls).serve(sockets=[listener])


def listen(host: str, port: int) -> socket.socket:
    """The listening socket of a part; the supervisor holds it, so a restarted part finds its callers waiting."""
    return listen_for_each(host, port, 1)[0]


def listen_for_each(host: str, port: int, processes: int) -> list[socket.socket]:
    """A socket for each of several processes. The kernel deals callers out among them; from a socket that they share,
    whoever wakes first takes all that wait.

    The port is taken as nobody else's before it is opened to its fellows.
    """
    first = _bound(host, port)
    listeners = [first]
    try:
        if processes > 1:
            first.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listeners += [_bound(host, first.getsockname()[1], shared=True) for _ in range(processes - 1)]
        for listener in listeners:
            listener.listen(2048)
            listener.setblocking(False)
    except OSError:
        for listener in listeners:
            listener.close()
        raise
    return listeners


def _bound(host: str, port: int, *, shared: bool = False) -> socket.socket:
    bound = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, int(shared))
    try:
        bound.bind((host, port))
    except OSError:
        bound.close()
        raise
    return bound
