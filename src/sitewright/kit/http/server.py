"""The HTTP server: uvicorn with draining on SIGTERM, connection limits and an optional TLS port."""

import asyncio
import contextlib
import signal
import socket
from collections.abc import Generator, Sequence
from functools import partial
from types import FrameType

import uvicorn

from sitewright.kit.http.asgi import HttpApp
from sitewright.kit.http.connection import Connection
from sitewright.kit.http.limits import AddressLimit, CountedConnection, WireLimits
from sitewright.kit.http.tls_port import Tls, TlsPort
from sitewright.kit.origin import Proxies
from sitewright.kit.resources import Resources

TICKS_PER_SECOND = 10  # of uvicorn's main loop

UNSENT_BYTES = 128 * 1024
"""Unsent bytes the kernel buffers for a client that does not read; its default is megabytes per connection."""


class DrainingServer(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, addresses: AddressLimit, tls: Tls | None = None) -> None:
        super().__init__(config)
        self._addresses = addresses
        self._tls = tls
        self.draining: asyncio.Event | None = None
        self.tls_port: TlsPort | None = None

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """uvicorn raises the signal again after draining, which would end the process with an error."""
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, self.handle_exit, signal.SIGTERM, None)
        yield

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self.draining is not None:
            self.draining.set()
        super().handle_exit(sig, frame)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self._tls is not None:
            self.tls_port = TlsPort(self._tls, self._connection, self._addresses)
            self.tls_port.open()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for listener in sockets or []:
            await self._accept_backlog(listener)
        if self.tls_port is not None:
            # Now, not after pending handshakes: from now on a response says that its connection closes.
            for connection in list(self.server_state.connections):
                connection.shutdown()
            await self.tls_port.close()
        await super().shutdown(sockets)

    async def on_tick(self, counter: int) -> bool:
        """Check every connection's deadline once a second, which is cheaper than timers for each request."""
        if counter % TICKS_PER_SECOND == 0:
            now = asyncio.get_running_loop().time()
            for connection in tuple(self.server_state.connections):
                connection.check(now)  # type: ignore[union-attr]  # they are all our `Connection`
            self._addresses.report(now)
        return await super().on_tick(counter)

    def _connection(self, counted: CountedConnection | None = None) -> asyncio.Protocol:
        loop = asyncio.get_running_loop()
        return self.config.http_protocol_class(  # type: ignore[call-arg]
            self.config, self.server_state, self.lifespan.state, loop, counted=counted
        )

    async def _accept_backlog(self, listener: socket.socket) -> None:
        """Accept the connections in the listener's backlog first: closing the listener would reset them."""
        loop = asyncio.get_running_loop()
        with contextlib.suppress(OSError):  # also raised when the backlog is empty
            while True:
                accepted, _ = listener.accept()
                accepted.setblocking(False)
                await loop.connect_accepted_socket(self._connection, accepted)


def server_for(
    app: HttpApp,
    *,
    drain_seconds: int = 30,
    tls: Tls | None = None,
    limits: WireLimits | None = None,
    proxies: Proxies | None = None,
) -> DrainingServer:
    limits = limits or WireLimits()
    addresses = AddressLimit(limits.connections_per_address, proxies or Proxies([]))
    config = uvicorn.Config(
        app,
        http=partial(Connection, limits=limits, addresses=addresses),  # type: ignore[arg-type]  # called like a class
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=drain_seconds,
    )
    return DrainingServer(config, addresses, tls)


async def serve(app: HttpApp, listener: socket.socket, resources: Resources, tls: Tls | None = None) -> None:
    settings = resources.settings
    server = server_for(
        app,
        drain_seconds=settings.drain_seconds,
        tls=tls,
        limits=WireLimits.of(settings),
        proxies=resources.proxies,
    )
    server.draining = resources.draining
    await server.serve(sockets=[listener])


def listen(host: str, port: int) -> socket.socket:
    """A listening socket. The supervisor keeps it open, so clients can wait while a process restarts."""
    return listen_for_each(host, port, 1)[0]


def listen_for_each(host: str, port: int, processes: int) -> list[socket.socket]:
    """A listening socket for each of several processes (SO_REUSEPORT). The kernel balances connections between them; on
    one shared socket, the first process to wake up would accept all waiting connections.

    The first socket binds exclusively, so that a port used by another program is detected.
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


def share_among(listeners: Sequence[socket.socket], processes: int) -> list[socket.socket]:
    """For each process, one of the sockets that a service manager opened; processes share one where there are fewer."""
    for listener in listeners:
        _limit_unsent(listener)
    return [listeners[number % len(listeners)] for number in range(processes)]


def _limit_unsent(listener: socket.socket) -> None:
    """Accepted connections inherit it; data in flight is not limited."""
    if hasattr(socket, "TCP_NOTSENT_LOWAT"):
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, UNSENT_BYTES)


def _bound(host: str, port: int, *, shared: bool = False) -> socket.socket:
    bound = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, int(shared))
    _limit_unsent(bound)
    try:
        bound.bind((host, port))
    except OSError:
        bound.close()
        raise
    return bound
