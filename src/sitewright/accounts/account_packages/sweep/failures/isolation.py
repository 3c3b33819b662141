"""A batch that fails is rolled back and halved, again and again, until the users at fault are alone.

Every half is a transaction of its own, so nothing is done twice, and whoever is not at fault is done.
"""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta

from sitewright.accounts.account_packages.sweep import store as due_store
from sitewright.accounts.account_packages.sweep.deciding import decide, settle, write
from sitewright.accounts.account_packages.sweep.failures import store
from sitewright.kit import clock
from sitewright.kit.failures import is_database_unavailable, is_transient, reason_of
from sitewright.kit.resources import Resources

MOST_FAILURES = 100
"""Of one brand in one round: where everybody fails, the other brands have their turn first."""
FIRST_BACK_OFF, LONGEST_BACK_OFF = timedelta(minutes=1), timedelta(hours=1)
_log = logging.getLogger("sitewright.packages")


class Isolation:
    """What fails of one brand in one round."""

    def __init__(self, resources: Resources, brand_ref: int, until: datetime) -> None:
        self._resources = resources
        self._brand_ref = brand_ref
        self._until = until
        self._failures = 0

    @property
    def is_exhausted(self) -> bool:
        return self._failures >= MOST_FAILURES

    async def retry_failed(self) -> None:
        """Users whose retry has come, each alone; what is done of them is a failure no more."""
        async with self._resources.database.transaction(self._brand_ref) as tx:
            user_refs = await store.due_for_retry(tx, self._until)
        for user_ref in user_refs:
            if self.is_exhausted:
                return
            try:
                await self._settle(user_ref)
            except Exception as error:
                await self._record(user_ref, error)

    async def do_apart(self, user_refs: Sequence[int]) -> None:
        """Do the users' changes, without those that fail even alone."""
        if not user_refs or self.is_exhausted:
            return
        try:
            await self._do(user_refs)
        except Exception as error:
            if len(user_refs) == 1:
                await self._record(user_refs[0], error)
                return
            if is_database_unavailable(error):
                raise
            middle = len(user_refs) // 2
            await self.do_apart(user_refs[:middle])
            await self.do_apart(user_refs[middle:])

    async def _do(self, user_refs: Sequence[int]) -> None:
        async with self._resources.database.transaction(self._brand_ref) as tx:
            locked = await due_store.lock_users(tx, user_refs)
            rows = await due_store.read_due(tx, self._until, locked)
            if rows:
                await write(tx, self._brand_ref, await decide(tx, self._resources.sealer, self._brand_ref, rows))

    async def _settle(self, user_ref: int) -> None:
        async with self._resources.database.transaction(self._brand_ref) as tx:
            if await due_store.lock_users(tx, [user_ref]):
                await settle(tx, self._resources.sealer, self._brand_ref, user_ref)
                await store.delete(tx, user_ref)

    async def _record(self, user_ref: int, error: Exception) -> None:
        if is_database_unavailable(error):
            raise error
        self._failures += 1
        reason, now = reason_of(error), clock.now()
        async with self._resources.database.transaction(self._brand_ref) as tx:
            wait = min(FIRST_BACK_OFF * 2 ** min(await store.attempts_of(tx, user_ref), 10), LONGEST_BACK_OFF)
            retry_at = now + wait if is_transient(error) else None
            recorded = await store.record(tx, user_ref, now, reason, retry_at)
        if recorded:
            words = "due packages of user %s of brand %s are set aside%s: %s"
            _log.error(words, user_ref, self._brand_ref, f" until {retry_at:%H:%M:%S}" if retry_at else "", reason)
