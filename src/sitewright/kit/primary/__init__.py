"""Connections to a database URL that names several hosts: to the server that accepts writes (decision 0181).

asyncpg would try the hosts one after another, and spend the whole timeout on the first one that does not respond.
"""

import asyncio
import weakref
from typing import Any

import asyncpg

from sitewright.kit import clock
from sitewright.kit.pool import Connection
from sitewright.kit.primary import store
from sitewright.kit.primary.urls import host_of, split_hosts

HOST_SECONDS = 1.0
"""For each host, while the primary is not known: to connect, log in and say whether it accepts writes."""
SILENT_SECONDS = 3.0
"""A known primary that does not respond for this long is given up."""
RETRY_SECONDS = 0.2
UNAVAILABLE = (
    asyncpg.CannotConnectNowError,
    asyncpg.InsufficientResourcesError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
)
"""Errors of a server that says nothing about the log-in."""


class NoPrimary(OSError):
    """None of the hosts accepts writes; the text names each host and what it said."""


class NotThePrimary(OSError):
    """A standby, or a server that was the primary before the last failover."""


class Hosts:
    """The hosts of one URL, and the open connections to each of them."""

    def __init__(self, url: str) -> None:
        self._urls = split_hosts(url)
        self._host_of: weakref.WeakKeyDictionary[Connection, str] = weakref.WeakKeyDictionary()
        self._timeline = 0
        self._primary: str | None = None
        self._search: asyncio.Task[str] | None = None
        self._silent_since: dict[str, float] = {}

    @property
    def are_several(self) -> bool:
        return len(self._urls) > 1

    async def connect(self, *, wait_seconds: float, **options: Any) -> Connection:
        """A single host has as long as it is given. Of several, the last known primary is tried first."""
        if not self.are_several:
            connection: Connection = await asyncpg.connect(self._urls[0], timeout=wait_seconds, **options)
            return connection
        if (known := self._primary) is not None:
            try:
                return await self._connect_to(known, options)
            except (OSError, asyncpg.PostgresError, asyncpg.InternalClientError):
                self._reset(known)
        return await self._connect_to(await self._find_primary(options), options)

    def end_connections(self, like: Connection) -> None:
        """End the connections to the host of this one: requests that wait for it fail."""
        self._end({self._host_of[like]})

    def end_other_connections(self, than: Connection) -> None:
        self._end(set(self._urls) - {self._host_of[than]})

    def end_silent_connections(self) -> None:
        """End those to hosts that have not responded to any log-in for `SILENT_SECONDS`.

        A server that refuses because it has too many connections, and a pooler that keeps new ones waiting, still
        serve those that they have.
        """
        now = clock.stopwatch()
        self._end({host for host, since in self._silent_since.items() if now - since >= SILENT_SECONDS})

    def _end(self, hosts: set[str]) -> None:
        for connection in [each for each, host in self._host_of.items() if host in hosts]:
            connection.terminate()

    async def _find_primary(self, options: dict[str, Any]) -> str:
        """One search at a time: during an outage every request and loop wants to connect."""
        if self._search is None or self._search.done():
            self._search = asyncio.create_task(self._search_primary(options))
            self._search.add_done_callback(lambda task: task.cancelled() or task.exception())
        return await asyncio.shield(self._search)

    async def _search_primary(self, options: dict[str, Any]) -> str:
        try:
            self._primary = await self._ask_all(options)
        except Exception:
            await asyncio.sleep(RETRY_SECONDS)  # limits the rate of attempts
            raise
        return self._primary

    async def _ask_all(self, options: dict[str, Any]) -> str:
        """The first host that accepts writes; the other attempts are given up."""
        attempts = {asyncio.create_task(self._ask(url, HOST_SECONDS, options)): url for url in self._urls}
        errors: dict[str, Exception] = {}
        waiting = set(attempts)
        try:
            while waiting:
                done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                for attempt in done:
                    error = attempt.exception()
                    if error is None:
                        return attempts[attempt]
                    if not isinstance(error, Exception):
                        raise error
                    errors[attempts[attempt]] = error
        finally:
            for attempt in attempts:
                attempt.add_done_callback(_discard)
                attempt.cancel()
        raise _error_of_all(errors)

    async def _connect_to(self, url: str, options: dict[str, Any]) -> Connection:
        connection = await self._ask(url, SILENT_SECONDS, options)
        self._host_of[connection] = url
        return connection

    def _reset(self, primary: str) -> None:
        """Unless another one was found meanwhile."""
        if self._primary == primary:
            self._primary = None

    async def _ask(self, url: str, seconds: float, options: dict[str, Any]) -> Connection:
        until = asyncio.get_running_loop().time() + seconds
        connection = await self._log_in(url, until, options)
        try:
            async with asyncio.timeout_at(until):
                await self._check_primary(connection)
        except BaseException:
            connection.terminate()
            raise
        return connection

    async def _log_in(self, url: str, until: float, options: dict[str, Any]) -> Connection:
        begun = clock.stopwatch()
        try:
            async with asyncio.timeout_at(until):
                connection: Connection = await asyncpg.connect(url, **options)
        except TimeoutError:
            self._silent_since.setdefault(url, begun)
            raise
        except Exception:
            self._silent_since.pop(url, None)
            raise
        self._silent_since.pop(url, None)
        return connection

    async def _check_primary(self, connection: Connection) -> None:
        """Also reject a former primary that came back and does not know yet that another one was elected."""
        timeline = await store.writable_timeline(connection)
        if timeline < max(1, self._timeline):
            await connection.close()
            raise NotThePrimary("a former primary" if timeline else "a standby")
        self._timeline = timeline


async def connect(url: str, *, wait_seconds: float = 60, **options: Any) -> Connection:
    """For commands: during a failover they wait for the new primary, as long as they are given."""
    hosts, deadline = Hosts(url), clock.stopwatch() + wait_seconds
    while True:
        try:
            return await hosts.connect(wait_seconds=wait_seconds, **options)
        except NoPrimary:
            if clock.stopwatch() > deadline:
                raise


def _discard(attempt: "asyncio.Task[Connection]") -> None:
    if not attempt.cancelled() and attempt.exception() is None:
        attempt.result().terminate()


def _error_of_all(errors: dict[str, Exception]) -> Exception:
    """If no host was reached as far as to say that it is no primary, a refused log-in is the reason."""
    if not any(isinstance(error, NotThePrimary) for error in errors.values()):
        for error in errors.values():
            if isinstance(error, asyncpg.PostgresError) and not isinstance(error, UNAVAILABLE):
                return error
    reasons = (f"{host_of(url)}: {str(error) or 'no response'}" for url, error in errors.items())
    return NoPrimary(f"No host of the database accepts writes ({'; '.join(reasons)})")
