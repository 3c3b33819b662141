"""The worker's round."""

import logging
from datetime import datetime

from sitewright.account_packages.sweep import store as due_store
from sitewright.account_packages.sweep.batches import do_changes
from sitewright.kit import clock, mail
from sitewright.kit.jobs import Round
from sitewright.kit.resources import Resources

REMINDERS = 1000
SECONDS = 2.0
_log = logging.getLogger("sitewright.packages")


async def do_due_changes(resources: Resources) -> None:
    """Everything that is due now, brand by brand."""
    now = clock.now()
    async with resources.database.connection() as connection:
        brand_refs = await due_store.brands_with_due_packages(connection, now)
    for brand_ref in brand_refs:
        await _do_brand(resources, brand_ref, now)


async def _do_brand(resources: Resources, brand_ref: int, now: datetime) -> None:
    """What stops one brand's clock must not stop the others'."""
    try:
        while await _remind(resources, brand_ref, now):
            pass
        await do_changes(resources, brand_ref, now)
    except Exception as error:
        _log.error("due packages of brand %s", brand_ref, exc_info=error)


ROUND = Round("packages", SECONDS, do_due_changes)


async def _remind(resources: Resources, brand_ref: int, now: datetime) -> bool:
    """One batch of reminders; whether there may be more."""
    async with resources.database.transaction(brand_ref) as tx:
        taken = await due_store.take_reminders(tx, now, REMINDERS)
        mails = [
            mail.Mail(
                kind="trialEnding",
                user_ref=row["user_ref"],
                facts={"package": row["name"], "endsAt": row["due_at"]},
            )
            for row in taken
            if row["is_running"]
        ]
        await mail.put(tx, resources.sealer, brand_ref, mails)
    return len(taken) == REMINDERS
