"""Records attempts and releases untried deliveries, in batches.

While the database is unavailable they are buffered here, and when the buffer is full the worker claims no more. An
outcome that arrives after the end of its lease is not recorded: another worker has claimed the delivery.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Iterable

import asyncpg

from sitewright.kit.db import DATABASE_OUTAGE, Database
from sitewright.kit.metrics import Metrics
from sitewright.kit.problems import Unavailable
from sitewright.webhooks.deliveries import store
from sitewright.webhooks.deliveries.metrics import count_attempts
from sitewright.webhooks.deliveries.store import Attempt, Claimed

LINGER_SECONDS = 0.03
"""Delay before a write, to batch attempts: a commit costs as much for one as for many."""
RETRY_SECONDS = 0.5
BATCH = 500
MAX_BUFFERED = 2000
_log = logging.getLogger("sitewright.webhooks")


class AttemptLog:
    def __init__(self, database: Database, metrics: Metrics) -> None:
        self._database = database
        self._metrics = metrics
        self._attempts: list[Attempt] = []
        self._released: list[Claimed] = []
        self._pending = asyncio.Event()
        self._empty = asyncio.Event()
        self._empty.set()

    @property
    def is_full(self) -> bool:
        return len(self._attempts) + len(self._released) >= MAX_BUFFERED

    def record(self, attempt: Attempt) -> None:
        self._attempts.append(attempt)
        self._wake()

    def release(self, claimed: Iterable[Claimed]) -> None:
        self._released.extend(claimed)
        self._wake()

    async def finish(self) -> None:
        """Waits until everything is recorded."""
        await self._empty.wait()

    async def run(self) -> None:
        """Writes batches until it is cancelled."""
        while True:
            await self._pending.wait()
            await asyncio.sleep(LINGER_SECONDS)
            try:
                await self._write()
            except (Unavailable, asyncpg.PostgresError, asyncpg.InterfaceError, *DATABASE_OUTAGE) as error:
                _log.warning("attempts are not recorded while the database is unavailable: %s", type(error).__name__)
                await asyncio.sleep(RETRY_SECONDS)

    async def _write(self) -> None:
        attempts, released = self._attempts[:BATCH], self._released[:BATCH]
        async with self._database.connection() as connection:
            if attempts:
                await store.record(connection, attempts)
                del self._attempts[: len(attempts)]
                count_attempts(self._metrics, Counter(each.outcome for each in attempts))
            if released:
                await store.release(connection, released)
                del self._released[: len(released)]
        if not self._attempts and not self._released:
            self._pending.clear()
            self._empty.set()

    def _wake(self) -> None:
        if self._attempts or self._released:
            self._empty.clear()
            self._pending.set()
