"""The outbox of users whose due packages failed: each is claimed under a lease and retried alone, after a back-off.

A failure that no retry can fix is a dead letter at once, and so is one whose retries are used up.
"""

from datetime import datetime, timedelta

from sitewright.accounts.account_packages.sweep import store as due_store
from sitewright.accounts.account_packages.sweep.decisions import apply_due_changes
from sitewright.accounts.account_packages.sweep.failures import store
from sitewright.kit.failures import is_database_unavailable, is_transient, reason_of
from sitewright.kit.outbox import BackOff, Claimed, DeadLetter, Outbox
from sitewright.kit.outbox.loop import OutboxLoop, each
from sitewright.kit.resources import Resources

MINUTES = (1, 2, 4, 8, 16, 32, *(60,) * 72)
BACK_OFF = BackOff(tuple(timedelta(minutes=minutes) for minutes in MINUTES))
"""Three days: then the cause is no passing one, although each failure looked so."""


class UserLocked(Exception):
    """Another transaction has locked the user's row."""


def first_retry(error: Exception, now: datetime) -> datetime | None:
    """When a user is retried after the first failure; None for a dead letter."""
    delay = BACK_OFF.delay(1) if is_transient(error) else None
    return None if delay is None else now + delay


async def _retry(resources: Resources, item: Claimed) -> None:
    try:
        await _apply(resources, item.brand_ref, item.ref)
    except UserLocked:
        raise
    except Exception as error:
        if is_transient(error) or is_database_unavailable(error):
            raise
        raise DeadLetter(reason_of(error)) from error


async def _apply(resources: Resources, brand_ref: int, user_ref: int) -> None:
    """Applies the user's due changes, and deletes the failure in the same transaction."""
    async with resources.database.transaction(brand_ref) as tx:
        if not await due_store.lock_free_users(tx, [user_ref]):
            raise UserLocked
        await apply_due_changes(tx, resources.sealer, brand_ref, user_ref)
        await store.delete(tx, user_ref)


OUTBOX = Outbox(
    name="packages",
    table=store.TABLE,
    claim=store.claim,
    lease=timedelta(seconds=30),
    back_off=BACK_OFF,
    poll_seconds=2.0,
)
LOOP = OutboxLoop(OUTBOX, each(_retry))
