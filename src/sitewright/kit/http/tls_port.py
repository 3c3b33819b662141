"""A listener that speaks TLS, with a certificate for the name each client asks for.

The name stands in the first bytes a client sends. They are looked at and left where they are, so that whoever knows the
name's certificate can be asked without hurry; then OpenSSL reads them as if nobody had. (Its own way, a callback in the
midst of the handshake, cannot wait for a database.)

Whoever has not shaken hands in time is let go, and when too many are at it, whoever is at it longest.
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

from sitewright.kit.http.client_hello import MOST_BYTES, NotTls, Unfinished, server_name
from sitewright.kit.http.limits import AddressLimit, CountedConnection

HANDSHAKE_SECONDS = 10.0
GOODBYE_SECONDS = 10.0  # for a client to read what is left and to agree that the connection ends
LAST_SECONDS = 1.0  # for clients on their way in when the listener closes
MOST_LOOKS = 64
"""At one hello, which arrives in a few pieces: each look begins at its beginning."""
MOST_ARRIVING = 2_000
ACCEPTED_AT_ONCE = 64
PAUSE_SECONDS = 0.2  # when the system has no more room for connections
Outcome: TypeAlias = Literal["done", "refused", "let-go"]
_log = logging.getLogger("sitewright.tls")


class Certificates(Protocol):
    """Knows the context for a name; None asks for that of clients who named nothing."""

    def at_hand(self, name: str | None) -> ssl.SSLContext | None:
        """Without waiting; None: it takes a while to tell."""

    async def find(self, name: str | None) -> ssl.SSLContext: ...


class Tls(msgspec.Struct, frozen=True):
    """What a server needs to speak it."""

    listener: socket.socket
    certificates: Certificates
    count: Callable[[Outcome], None] = lambda _outcome: None


class Arrival:
    """A client that has not shaken hands yet."""

    def __init__(self, client: socket.socket, counted: CountedConnection) -> None:
        self.client = client
        self.counted = counted
        self.seen = 0
        self.looks = 0
        self.is_watched = False
        self.timer: asyncio.TimerHandle | None = None
        self.handshake: asyncio.Task[Outcome] | None = None


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
        self._arriving: dict[Arrival, None] = {}
        """In the order they came."""
        self._all_in = asyncio.Event()
        self._all_in.set()

    @property
    def arriving(self) -> int:
        return len(self._arriving)

    def open(self) -> None:
        self._loop.add_reader(self._listener.fileno(), self._accept)

    async def close(self) -> None:
        """Takes in whoever stands in the queue; who has shaken hands soon after is a connection like others."""
        self._loop.remove_reader(self._listener.fileno())
        while self._accept():
            pass
        self._listener.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LAST_SECONDS):
                await self._all_in.wait()
        for arrival in tuple(self._arriving):
            self._let_go(arrival)

    def _accept(self) -> bool:
        """Whether there may be more."""
        for _ in range(ACCEPTED_AT_ONCE):
            try:
                client, address = self._listener.accept()
            except (BlockingIOError, InterruptedError):
                return False
            except ConnectionError:  # gone already
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
        self._take_in(Arrival(client, self._addresses.count(key)))

    def _pause(self) -> None:
        """Where there is no room for another connection, the listener would be ready to be accepted from for ever."""
        for arrival in tuple(self._arriving)[: len(self._arriving) // 2]:
            self._let_go(arrival)
        self._loop.remove_reader(self._listener.fileno())
        self._loop.call_later(PAUSE_SECONDS, self._resume)

    def _resume(self) -> None:
        if self._listener.fileno() >= 0:  # else it was closed meanwhile
            self.open()

    def _take_in(self, arrival: Arrival) -> None:
        if len(self._arriving) >= MOST_ARRIVING:
            self._let_go(next(iter(self._arriving)))
        self._arriving[arrival] = None
        self._all_in.clear()
        arrival.timer = self._loop.call_later(HANDSHAKE_SECONDS, self._let_go, arrival)
        self._look(arrival)

    def _look(self, arrival: Arrival) -> None:
        """At what the client has sent so far. Woken without anything new, it has said all it will."""
        sent = b""
        arrival.looks += 1
        try:
            sent = arrival.client.recv(MOST_BYTES, socket.MSG_PEEK)
            name = server_name(sent)
        except (BlockingIOError, InterruptedError):
            self._wait_for_more(arrival, arrival.seen)
        except Unfinished:
            if len(sent) > arrival.seen and arrival.looks < MOST_LOOKS:
                self._wait_for_more(arrival, len(sent))
            else:
                self._let_go(arrival)
        except (NotTls, OSError):
            self._let_go(arrival)
        else:
            self._shake_hands(arrival, name)

    def _wait_for_more(self, arrival: Arrival, seen: int) -> None:
        """What was seen still lies there; the client counts as readable only when there is more."""
        arrival.seen = seen
        if seen:
            arrival.client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, seen + 1)
        if not arrival.is_watched:
            self._loop.add_reader(arrival.client.fileno(), self._look, arrival)
            arrival.is_watched = True

    def _stop_watching(self, arrival: Arrival) -> None:
        if arrival.is_watched:
            self._loop.remove_reader(arrival.client.fileno())
            arrival.is_watched = False

    def _shake_hands(self, arrival: Arrival, name: str | None) -> None:
        self._stop_watching(arrival)
        if arrival.seen:
            arrival.client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, 1)
        arrival.handshake = self._loop.create_task(self._connect(arrival, name))
        arrival.handshake.add_done_callback(partial(self._ended, arrival))

    async def _connect(self, arrival: Arrival, name: str | None) -> Outcome:
        context = self._certificates.at_hand(name) or await self._certificates.find(name)
        try:
            await self._loop.connect_accepted_socket(
                partial(self._connection, arrival.counted),
                arrival.client,
                ssl=context,
                ssl_handshake_timeout=HANDSHAKE_SECONDS,
                ssl_shutdown_timeout=GOODBYE_SECONDS,
            )
        except OSError:  # among them: whatever OpenSSL does not agree to
            return "refused"
        return "done"

    def _ended(self, arrival: Arrival, handshake: asyncio.Task[Outcome]) -> None:
        """Its socket is the connection's own from here on, unless there is none."""
        error = None if handshake.cancelled() else handshake.exception()
        if error is not None:
            _log.error("a handshake failed", exc_info=error)
        outcome: Outcome = "let-go" if error is not None or handshake.cancelled() else handshake.result()
        if outcome != "done":
            arrival.client.close()
        self._forget(arrival, is_connected=outcome == "done")
        self._count(outcome)

    def _let_go(self, arrival: Arrival) -> None:
        self._forget(arrival)
        if arrival.handshake is not None:
            arrival.handshake.cancel()  # which ends it, and the connection
            return
        self._stop_watching(arrival)
        arrival.client.close()
        self._count("let-go")

    def _forget(self, arrival: Arrival, *, is_connected: bool = False) -> None:
        """What a connection came to be stays counted until that connection ends."""
        if arrival in self._arriving:
            del self._arriving[arrival]
            if not is_connected:
                arrival.counted.release()
        if not self._arriving:
            self._all_in.set()
        if arrival.timer is not None:
            arrival.timer.cancel()
