"""What came of attempts, written down for many at once; and what is given back untried.

Nothing is lost while the database is away: it waits here, and the worker claims no more than it can remember.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Iterable

import asyncpg

from sitewright.kit.db import DATABASE_AWAY, Database
from sitewright.kit.metrics import Metrics
from sitewright.kit.problems import Unavailable
from sitewright.webhooks.deliveries import store
from sitewright.webhooks.deliveries.metrics import count_attempts
from sitewright.webhooks.deliveries.store import Claimed, Noted

LINGER_SECONDS = 0.03
"""For others to be written down with it: a commit costs as much for one as for many."""
AGAIN_SECONDS = 0.5
BATCH = 500
FULL = 2000
_log = logging.getLogger("sitewright.webhooks")


Key = tuple[int, int, int]


class Notebook:
    def __init__(self, database: Database, metrics: Metrics) -> None:
        self._database = database
        self._metrics = metrics
        self._noted: list[Noted] = []
        self._given_back: list[Claimed] = []
        self._in_hand: dict[Key, Claimed] = {}
        self._something = asyncio.Event()
        self._nothing = asyncio.Event()
        self._nothing.set()
        self.worker = 0
        """Under whose number all of it was claimed."""

    @property
    def is_full(self) -> bool:
        return len(self._noted) + len(self._given_back) >= FULL

    @property
    def in_hand(self) -> list[Claimed]:
        """All that is claimed and not written down yet."""
        return list(self._in_hand.values())

    def hold(self, claimed: Iterable[Claimed]) -> None:
        self._in_hand.update((_key(each), each) for each in claimed)

    def note(self, noted: Noted) -> None:
        self._noted.append(noted)
        self._stir()

    def give_back(self, claimed: Iterable[Claimed]) -> None:
        self._given_back.extend(claimed)
        self._stir()

    async def finish(self) -> None:
        """Until all is written down."""
        await self._nothing.wait()

    async def keep(self) -> None:
        """For as long as the worker lives."""
        while True:
            await self._something.wait()
            await asyncio.sleep(LINGER_SECONDS)
            try:
                await self._write()
            except (Unavailable, asyncpg.PostgresError, asyncpg.InterfaceError, *DATABASE_AWAY) as error:
                _log.warning("what came of deliveries waits for the database: %s", type(error).__name__)
                await asyncio.sleep(AGAIN_SECONDS)

    async def _write(self) -> None:
        noted, given_back = self._noted[:BATCH], self._given_back[:BATCH]
        async with self._database.connection() as connection:
            if noted:
                await store.note(connection, self.worker, noted)
                del self._noted[: len(noted)]
                self._let_go(each.claimed for each in noted)
                count_attempts(self._metrics, Counter(each.outcome for each in noted))
            if given_back:
                await store.release(connection, self.worker, given_back)
                del self._given_back[: len(given_back)]
                self._let_go(given_back)
        if not self._noted and not self._given_back:
            self._something.clear()
            self._nothing.set()

    def _let_go(self, claimed: Iterable[Claimed]) -> None:
        for each in claimed:
            if self._in_hand.get(_key(each)) is each:  # and was not claimed again meanwhile
                del self._in_hand[_key(each)]

    def _stir(self) -> None:
        if self._noted or self._given_back:
            self._nothing.clear()
            self._something.set()


def _key(claimed: Claimed) -> Key:
    return claimed.brand_ref, claimed.sequence, claimed.subscription_ref
