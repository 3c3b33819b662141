"""The worker's round."""

import logging
from datetime import datetime

from sitewright.account_packages.sweep import store as due_store
from sitewright.account_packages.sweep.deciding import do_changes
from sitewright.kit import clock, mail
from sitewright.kit.jobs import Round
from sitewright.kit.resources import Resources

BATCH = 1000
SECONDS = 2.0
_log = logging.getLogger("sitewright.packages")


async def do_due_changes(resources: Resources) -> None:
    """Everything that is due now, brand by brand."""
    now = clock.now()
    async with resources.database.connection() as connection:
        brand_refs = await due_store.brands_with_due_packages(connection, now)
    for brand_ref in brand_refs:
        try:
            while await _remind(resources, brand_ref, now):
                pass
            while await _change(resources, brand_ref, now):
                pass
        except Exception as error:  # what stops one brand's clock must not stop the others'
            _log.error("due packages of brand %s", brand_ref, exc_info=error)


ROUND = Round("packages", SECONDS, do_due_changes)


async def _remind(resources: Resources, brand_ref: int, now: datetime) -> bool:
    """One batch of reminders; whether there may be more."""
    async with resources.database.transaction(brand_ref) as tx:
        taken = await due_store.take_reminders(tx, now, BATCH)
        mails = [
            mail.Mail(
                kind="trialEnding",
                user_ref=row["user_ref"],
                facts={"package": row["name"], "endsAt": row["due_at"].isoformat()},
            )
            for row in taken
            if row["is_running"]
        ]
        await mail.put(tx, resources.sealer, brand_ref, mails)
    return len(taken) == BATCH


async def _change(resources: Resources, brand_ref: int, until: datetime) -> bool:
    """One batch of changes; whether there may be more. Another worker at this brand is left to it."""
    async with resources.database.transaction(brand_ref) as tx:
        if not await due_store.take_turn(tx, brand_ref):
            return False
        user_refs = await due_store.lock_due_users(tx, until, BATCH)
        rows = await due_store.read_due(tx, until, user_refs)
        if not rows:
            return False
        await do_changes(tx, resources.sealer, brand_ref, rows)
    return True
