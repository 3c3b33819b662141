"""A TLS listener that chooses the certificate by the client's server name (SNI).

The ClientHello is peeked at and left in the socket's buffer, so that the certificate can be looked up asynchronously;
then OpenSSL reads it normally. (OpenSSL's own SNI callback cannot await a database query.)

A handshake that exceeds its timeout is dropped; when too many are in progress, the oldest is dropped.
"""

import asyncio
import contextlib
import logging
import socket
import ssl
from collections.abc import Callable
from functools import partial
from typing import Literal, Protocol, TypeAlias

import msgspec

from sitewright.kit.http.client_hello import MAX_HELLO_BYTES, Incomplete, NotTls, server_name
from sitewright.kit.http.limits import AddressLimit, CountedConnection

HANDSHAKE_SECONDS = 10.0
SHUTDOWN_SECONDS = 10.0  # for a client to read the rest and to complete the TLS shutdown
DRAIN_SECONDS = 1.0  # for handshakes in progress when the listener closes
MAX_PEEKS = 64
"""At one ClientHello, which arrives in a few segments: each peek reads it from its beginning."""
MAX_HANDSHAKES = 2_000
ACCEPTED_AT_ONCE = 64
PAUSE_SECONDS = 0.2  # when the system cannot open more connections
Outcome: TypeAlias = Literal["done", "refused", "let-go"]
_log = logging.getLogger("sitewright.tls")


class Certificates(Protocol):
    """Provides the TLS context for a server name; None stands for clients without SNI."""

    def cached_context(self, name: str | None) -> ssl.SSLContext | None:
        """The cached context; None on a cache miss."""

    async def find(self, name: str | None) -> ssl.SSLContext: ...


class Tls(msgspec.Struct, frozen=True):
    """The TLS listener's socket, its certificates, and the counter of handshake outcomes."""

    listener: socket.socket
    certificates: Certificates
    count: Callable[[Outcome], None] = lambda _outcome: None


class PendingHandshake:
    """A client whose handshake is not complete."""

    def __init__(self, client: socket.socket, counted: CountedConnection) -> None:
        self.client = client
        self.counted = counted
        self.peeked_bytes = 0
        self.peeks = 0
        self.is_watched = False
        self.timer: asyncio.TimerHandle | None = None
        self.task: asyncio.Task[Outcome] | None = None


class TlsPort:
    def __init__(
        self, tls: Tls, connection: Callable[[CountedConnection], asyncio.Protocol], addresses: AddressLimit
    ) -> None:
        self._listener = tls.listener
        self._certificates = tls.certificates
        self._count = tls.count
        self._connection = connection
        self._addresses = addresses
        self._loop = asyncio.get_running_loop()
        self._pending: dict[PendingHandshake, None] = {}
        """In order of arrival."""
        self._none_pending = asyncio.Event()
        self._none_pending.set()

    @property
    def pending(self) -> int:
        return len(self._pending)

    def open(self) -> None:
        self._loop.add_reader(self._listener.fileno(), self._accept)

    async def close(self) -> None:
        """Accept the backlog, and let handshakes complete within `DRAIN_SECONDS`; they become ordinary connections."""
        self._loop.remove_reader(self._listener.fileno())
        while self._accept():
            pass
        self._listener.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(DRAIN_SECONDS):
                await self._none_pending.wait()
        for pending in tuple(self._pending):
            self._drop(pending)

    def _accept(self) -> bool:
        """Accept a batch; returns whether there may be more."""
        for _ in range(ACCEPTED_AT_ONCE):
            try:
                client, address = self._listener.accept()
            except (BlockingIOError, InterruptedError):
                return False
            except ConnectionError:  # disconnected already
                continue
            except OSError:
                self._pause()
                return False
            self._admit(client, self._addresses.key_of(address[0]))
        return True

    def _admit(self, client: socket.socket, key: str) -> None:
        if not self._addresses.admits(key):
            client.close()
            self._count("refused")
            return
        client.setblocking(False)
        self._begin(PendingHandshake(client, self._addresses.count(key)))

    def _pause(self) -> None:
        """Out of file descriptors: drop the older half, and stop accepting briefly instead of busy-looping."""
        for pending in tuple(self._pending)[: len(self._pending) // 2]:
            self._drop(pending)
        self._loop.remove_reader(self._listener.fileno())
        self._loop.call_later(PAUSE_SECONDS, self._resume)

    def _resume(self) -> None:
        if self._listener.fileno() >= 0:  # else it was closed meanwhile
            self.open()

    def _begin(self, pending: PendingHandshake) -> None:
        if len(self._pending) >= MAX_HANDSHAKES:
            self._drop(next(iter(self._pending)))
        self._pending[pending] = None
        self._none_pending.clear()
        pending.timer = self._loop.call_later(HANDSHAKE_SECONDS, self._drop, pending)
        self._peek(pending)

    def _peek(self, pending: PendingHandshake) -> None:
        """Read the server name from what the client has sent so far. No new bytes means that it closed its side."""
        sent = b""
        pending.peeks += 1
        try:
            sent = pending.client.recv(MAX_HELLO_BYTES, socket.MSG_PEEK)
            name = server_name(sent)
        except (BlockingIOError, InterruptedError):
            self._wait_for_more(pending, pending.peeked_bytes)
        except Incomplete:
            if len(sent) > pending.peeked_bytes and pending.peeks < MAX_PEEKS:
                self._wait_for_more(pending, len(sent))
            else:
                self._drop(pending)
        except (NotTls, OSError):
            self._drop(pending)
        else:
            self._start_handshake(pending, name)

    def _wait_for_more(self, pending: PendingHandshake, peeked_bytes: int) -> None:
        """The peeked bytes stay in the buffer, so the low-water mark makes the socket readable only with more."""
        pending.peeked_bytes = peeked_bytes
        if peeked_bytes:
            pending.client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, peeked_bytes + 1)
        if not pending.is_watched:
            self._loop.add_reader(pending.client.fileno(), self._peek, pending)
            pending.is_watched = True

    def _stop_watching(self, pending: PendingHandshake) -> None:
        if pending.is_watched:
            self._loop.remove_reader(pending.client.fileno())
            pending.is_watched = False

    def _start_handshake(self, pending: PendingHandshake, name: str | None) -> None:
        self._stop_watching(pending)
        if pending.peeked_bytes:
            pending.client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, 1)
        pending.task = self._loop.create_task(self._connect(pending, name))
        pending.task.add_done_callback(partial(self._end, pending))

    async def _connect(self, pending: PendingHandshake, name: str | None) -> Outcome:
        context = self._certificates.cached_context(name) or await self._certificates.find(name)
        try:
            await self._loop.connect_accepted_socket(
                partial(self._connection, pending.counted),
                pending.client,
                ssl=context,
                ssl_handshake_timeout=HANDSHAKE_SECONDS,
                ssl_shutdown_timeout=SHUTDOWN_SECONDS,
            )
        except OSError:  # includes ssl.SSLError
            return "refused"
        return "done"

    def _end(self, pending: PendingHandshake, task: asyncio.Task[Outcome]) -> None:
        """After success the socket belongs to the connection; otherwise it is closed here."""
        error = None if task.cancelled() else task.exception()
        if error is not None:
            _log.error("TLS handshake failed unexpectedly", exc_info=error)
        outcome: Outcome = "let-go" if error is not None or task.cancelled() else task.result()
        if outcome != "done":
            pending.client.close()
        self._remove(pending, is_connected=outcome == "done")
        self._count(outcome)

    def _drop(self, pending: PendingHandshake) -> None:
        self._remove(pending)
        if pending.task is not None:
            pending.task.cancel()  # then `_end` closes the socket
            return
        self._stop_watching(pending)
        pending.client.close()
        self._count("let-go")

    def _remove(self, pending: PendingHandshake, *, is_connected: bool = False) -> None:
        """An established connection stays counted until it closes."""
        if pending in self._pending:
            del self._pending[pending]
            if not is_connected:
                pending.counted.release()
        if not self._pending:
            self._none_pending.set()
        if pending.timer is not None:
            pending.timer.cancel()
