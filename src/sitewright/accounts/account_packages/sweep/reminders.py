"""Reminders of trials that end soon, in batches; a batch that fails is bisected down to the reminder that fails."""

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
"""Per brand and round; then the sweep continues with the other brands."""
_log = logging.getLogger("sitewright.packages")


async def send_due_reminders(resources: Resources, brand_ref: int, now: datetime, share: int) -> bool:
    """Sends at most `share` due reminders; returns whether more may be due. One that fails is postponed (back-off),
    for as long as its trial lasts."""
    limit, failures, sent = BATCH, 0, 0
    while failures < MAX_FAILURES and sent < share:
        limit = min(limit, share - sent)
        try:
            claimed = await _send_batch(resources, brand_ref, now, limit)
        except Exception as error:
            if is_database_unavailable(error) or (limit == 1 and not await _postpone(resources, brand_ref, now, error)):
                raise
            if limit > 1:
                limit //= 2
            else:
                failures, limit = failures + 1, BATCH
        else:
            if claimed < limit:
                return False
            sent += claimed
    return failures < MAX_FAILURES


async def _send_batch(resources: Resources, brand_ref: int, now: datetime, limit: int) -> int:
    """Sends one batch of reminders. Returns how many were claimed."""
    async with resources.database.transaction(brand_ref) as tx:
        claimed = await due_store.claim_reminders(tx, now, limit)
        mails = [
            mail.Mail(
                kind=TRIAL_ENDING,
                user_ref=row["user_ref"],
                facts={"package": row["name"], "endsAt": row["due_at"]},
            )
            for row in claimed
            if row["is_running"]
        ]
        await mail.put(tx, resources.sealer, brand_ref, mails)
    return len(claimed)


async def _postpone(resources: Resources, brand_ref: int, now: datetime, error: Exception) -> bool:
    """Postpones the first due reminder. Returns whether there was one."""
    async with resources.database.transaction(brand_ref) as tx:
        ref = await due_store.postpone_first_reminder(tx, now, now + BACK_OFF)
    _log.error("the reminder of account package %s of brand %s is postponed: %s", ref, brand_ref, reason_of(error))
    return ref is not None
