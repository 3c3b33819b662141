"""What became of mails, written down: sent, put off to a later attempt, given up, or given back untried."""

import logging
import random
from collections.abc import Sequence
from datetime import datetime, timedelta

from sitewright.kit import clock, logs
from sitewright.kit.mail import store
from sitewright.kit.mail.store import WaitingMail
from sitewright.kit.resources import Resources

RETRY_AFTER = tuple(
    timedelta(seconds=seconds) for seconds in (10, 60, 300, 1800, 2 * 3600, 6 * 3600, 12 * 3600, 24 * 3600)
)
JITTER = 0.1
_log = logging.getLogger("sitewright.mail")


async def sent(resources: Resources, noted: Sequence[tuple[WaitingMail, dict[str, str]]]) -> None:
    """Each with what is worth a word in the log."""
    for brand_ref, some in _by_brand([mail for mail, _ in noted]).items():
        async with resources.database.transaction(brand_ref) as tx:
            await store.mark_sent(tx, [mail.ref for mail in some], clock.now())
    for mail, note in noted:
        logs.event(_log, "mail sent", **_named(mail), **note)


async def put_off(resources: Resources, mails: Sequence[WaitingMail], reason: str) -> None:
    """Each to its own next attempt; those that have had all of theirs are given up."""
    await give_up(resources, [mail for mail in mails if mail.attempts > len(RETRY_AFTER)], reason)
    for brand_ref, some in _by_brand([mail for mail in mails if mail.attempts <= len(RETRY_AFTER)]).items():
        async with resources.database.transaction(brand_ref) as tx:
            await store.postpone(tx, [mail.ref for mail in some], [_next_attempt(mail) for mail in some], reason)
        first = _named(some[0]) | {"attempt": some[0].attempts}
        _log.warning("mail put off: %s", reason, extra={"fields": {"mails": len(some), **first}})


async def give_up(
    resources: Resources, mails: Sequence[WaitingMail], reason: str, *, forget: Sequence[str] | None = None
) -> None:
    """Dead letters. Facts with a secret link are deleted; others are kept, so that the operator can retry."""
    if forget is None:
        forget = [name for name, kind in resources.mail.kinds.items() if kind.link_lifetime is not None]
    for brand_ref, some in _by_brand(mails).items():
        async with resources.database.transaction(brand_ref) as tx:
            await store.give_up(tx, [mail.ref for mail in some], clock.now(), reason, forget=forget)
        for mail in some:
            _log.warning("mail given up: %s", reason, extra={"fields": _named(mail)})


async def drop(resources: Resources, mails: Sequence[WaitingMail], reason: str) -> None:
    """Nobody should have them any more."""
    await give_up(resources, mails, reason, forget=[mail.kind for mail in mails])


async def give_back(resources: Resources, mails: Sequence[WaitingMail]) -> None:
    for brand_ref, some in _by_brand(mails).items():
        async with resources.database.transaction(brand_ref) as tx:
            await store.give_back(tx, [mail.ref for mail in some], clock.now())


def _next_attempt(mail: WaitingMail) -> datetime:
    """A little apart, so that what failed together does not come back all at once."""
    wait = RETRY_AFTER[max(mail.attempts, 1) - 1]
    return clock.now() + wait * random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311 - no secret


def _by_brand(mails: Sequence[WaitingMail]) -> dict[int, list[WaitingMail]]:
    found: dict[int, list[WaitingMail]] = {}
    for mail in mails:
        found.setdefault(mail.brand_ref, []).append(mail)
    return found


def _named(mail: WaitingMail) -> dict[str, object]:
    """Never an address, never content."""
    return {"brand": mail.brand_ref, "mail": mail.ref, "kind": mail.kind, "user": mail.user_ref}
