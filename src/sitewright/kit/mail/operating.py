"""Operator commands for mails."""

from typing import Any

from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.mail import store
from sitewright.kit.mail.outcomes import LEASE
from sitewright.kit.mail.store import Key
from sitewright.kit.problems import NotFound


class FailedMailNotFound(NotFound):
    code = "mailNotFound"
    title = "No such mail"
    detail = (
        "There is no mail with this number that could be sent again: it was sent, it is being sent, or it contained a"
        " secret that was deleted. See: sitewright mail list"
    )


async def retry(tx: Transaction, actor: Caller, brand_ref: int | None, ref: int | None) -> list[Key]:
    """Retry dead letters, and mails that wait for a retry, now: one, a brand's, or all."""
    retried = await store.retry(tx, brand_ref, ref, clock.now(), LEASE)
    if ref is not None and not retried:
        raise FailedMailNotFound
    if retried:
        facts: dict[str, Any] = {"brand": brand_ref, "mails": len(retried)}
        await audit.record_of(tx, actor, "retry", "mail", ref, None, **facts)
    return retried
