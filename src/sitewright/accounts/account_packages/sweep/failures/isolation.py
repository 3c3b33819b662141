"""Bisects a failed batch until each user that causes a failure is alone in a batch.

Every half is a separate transaction, so no change is applied twice, and all other users are done.
"""

import logging
from collections.abc import Sequence
from datetime import datetime

from sitewright.accounts.account_packages.sweep import store as due_store
from sitewright.accounts.account_packages.sweep.decisions import decide, write
from sitewright.accounts.account_packages.sweep.failures import store
from sitewright.accounts.account_packages.sweep.failures.retries import first_retry
from sitewright.kit import clock
from sitewright.kit.failures import is_database_unavailable, reason_of
from sitewright.kit.resources import Resources

MAX_FAILURES = 100
"""Per brand and round; then the sweep continues with the other brands."""
_log = logging.getLogger("sitewright.packages")


class Isolation:
    """The failures of one brand in one round of the sweep."""

    def __init__(self, resources: Resources, brand_ref: int, until: datetime) -> None:
        self._resources = resources
        self._brand_ref = brand_ref
        self._until = until
        self._failures = 0

    @property
    def is_exhausted(self) -> bool:
        return self._failures >= MAX_FAILURES

    async def bisect(self, user_refs: Sequence[int]) -> None:
        """Applies the users' changes, and records the users that fail even alone."""
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
            await self.bisect(user_refs[:middle])
            await self.bisect(user_refs[middle:])

    async def _do(self, user_refs: Sequence[int]) -> None:
        async with self._resources.database.transaction(self._brand_ref) as tx:
            await due_store.begin_batch(tx)
            locked = await due_store.lock_free_users(tx, user_refs)
            rows = await due_store.read_due(tx, self._until, locked)
            if rows:
                await write(tx, self._brand_ref, await decide(tx, self._resources.sealer, self._brand_ref, rows))

    async def _record(self, user_ref: int, error: Exception) -> None:
        if is_database_unavailable(error):
            raise error
        self._failures += 1
        reason, now = reason_of(error), clock.now()
        retry_at = first_retry(error, now)
        async with self._resources.database.transaction(self._brand_ref) as tx:
            recorded = await store.record(tx, user_ref, self._until, now, reason, retry_at)
        if recorded:
            message = "due packages of user %s of brand %s failed%s: %s"
            _log.error(
                message,
                user_ref,
                self._brand_ref,
                f", retry at {retry_at:%H:%M:%S}" if retry_at else " (dead letter)",
                reason,
            )
