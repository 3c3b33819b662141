"""Reminders of trials that end soon, in batches; one that fails is halved down to the one reminder at fault."""

import logging
from datetime import datetime, timedelta

from sitewright.accounts.account_packages.mails import TRIAL_ENDING
from sitewright.accounts.account_packages.sweep import store as due_store
from sitewright.kit import mail
from sitewright.kit.failures import is_database_unavailable, reason_of
from sitewright.kit.resources import Resources

BATCH = 1000
BACK_OFF = timedelta(hours=1)
MAX_FAILURES = 100
"""Of one brand in one sweep: then it is the other brands' turn."""
_log = logging.getLogger("sitewright.packages")


async def remind(resources: Resources, brand_ref: int, now: datetime) -> None:
    """All reminders that are due. One that cannot be given is put off, for as long as its trial lasts."""
    most, failures = BATCH, 0
    while failures < MAX_FAILURES:
        try:
            taken = await _remind(resources, brand_ref, now, most)
        except Exception as error:
            if is_database_unavailable(error) or (most == 1 and not await _put_off(resources, brand_ref, now, error)):
                raise
            failures += most == 1
            most = most // 2 or BATCH
        else:
            if taken < most:
                return


async def _remind(resources: Resources, brand_ref: int, now: datetime, most: int) -> int:
    """One batch of reminders; how many there were."""
    async with resources.database.transaction(brand_ref) as tx:
        taken = await due_store.take_reminders(tx, now, most)
        mails = [
            mail.Mail(
                kind=TRIAL_ENDING,
                user_ref=row["user_ref"],
                facts={"package": row["name"], "endsAt": row["due_at"]},
            )
            for row in taken
            if row["is_running"]
        ]
        await mail.put(tx, resources.sealer, brand_ref, mails)
    return len(taken)


async def _put_off(resources: Resources, brand_ref: int, now: datetime, error: Exception) -> bool:
    """The first reminder that is due; whether there was one."""
    async with resources.database.transaction(brand_ref) as tx:
        ref = await due_store.put_off_first_reminder(tx, now, now + BACK_OFF)
    _log.error("the reminder of account package %s of brand %s is put off: %s", ref, brand_ref, reason_of(error))
    return ref is not None
