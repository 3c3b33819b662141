"""Mails that are due are claimed from the outbox, rendered and sent, in batches that share a connection each.

A worker that dies leaves its mails to whoever claims them when their lease ends: a mail may then arrive twice, under
the same Message-ID, but is never lost. What was sent is recorded while the next is on its way, so few are in doubt.
"""

import logging
from collections.abc import Callable, Sequence
from typing import Any

from sitewright.kit import clock
from sitewright.kit.failures import is_database_away, reason_of
from sitewright.kit.mail import store
from sitewright.kit.mail.carriers import Carrier, Letter, Lost, Nobody, NotCarried, NotNow, Refused
from sitewright.kit.mail.eml import FolderCarrier
from sitewright.kit.mail.outcomes import BACK_OFF, BATCH, LEASE, MailOutcomes
from sitewright.kit.mail.preparing import prepare
from sitewright.kit.mail.sent_log import SentLog
from sitewright.kit.mail.smtp import SmtpCarrier
from sitewright.kit.outbox import Claimed, Outbox
from sitewright.kit.outbox.loop import Batch, OutboxLoop
from sitewright.kit.outbox.outcomes import by_brand
from sitewright.kit.resources import Resources
from sitewright.settings import Settings

BATCH_SECONDS = 5.0
"""After this time a batch begins no other mail but releases the rest: far within the lease."""
LOSSES = 2
"""Of connections, in one batch; then the rest is retried later."""
_log = logging.getLogger("sitewright.mail")


def mail_outbox(only_awaited: Callable[[], bool] = lambda: False) -> Outbox:
    """`only_awaited`: whether all other mails wait for now."""

    async def claim(*arguments: Any) -> list[Claimed]:
        return await store.claim(*arguments, only_awaited=only_awaited())

    return Outbox(
        name="mail",
        table=store.TABLE,
        claim=claim,
        lease=LEASE,
        back_off=BACK_OFF,
        batch=BATCH,
        concurrency=lambda settings: settings.smtp_connections,
    )


def mail_loop(only_awaited: Callable[[], bool] = lambda: False) -> OutboxLoop:
    return OutboxLoop(mail_outbox(only_awaited), _send)


async def send_due_mails(resources: Resources, only_awaited: Callable[[], bool] = lambda: False) -> None:
    """All that is due now."""
    await mail_loop(only_awaited).run_once(resources)


async def _send(batch: Batch) -> bool:
    """False when no server takes mail."""
    outcomes = MailOutcomes(batch.outcomes, batch.items, batch.resources.mail.kinds)
    letters: list[Letter] = []
    for brand_ref, claims in sorted(by_brand(batch.items).items()):
        letters += await _prepare(batch.resources, brand_ref, [each.ref for each in claims], outcomes)
    carrier = carrier_for(batch.resources.settings)
    try:
        async with SentLog(outcomes, carrier) as sent_log:
            return await _carry_all(batch, carrier, letters, sent_log, outcomes)
    except Nobody:  # those that seemed to be sent are retried
        return False
    finally:
        await carrier.close()


async def _prepare(resources: Resources, brand_ref: int, refs: Sequence[int], outcomes: MailOutcomes) -> list[Letter]:
    """An error that concerns all mails of one brand stops no other brand: its mails wait for the end of their lease."""
    try:
        return await prepare(resources, brand_ref, refs, outcomes)
    except Exception as error:
        if is_database_away(error):
            raise
        _log.error("mails of brand %s cannot be prepared: %s", brand_ref, reason_of(error))
        return []


def carrier_for(settings: Settings) -> Carrier:
    return SmtpCarrier(settings) if settings.smtp_host else FolderCarrier(settings.mail_path)


async def _carry_all(
    batch: Batch, carrier: Carrier, letters: Sequence[Letter], sent_log: SentLog, outcomes: MailOutcomes
) -> bool:
    end, losses = clock.stopwatch() + BATCH_SECONDS, 0
    for index, letter in enumerate(letters):
        left = [each.mail for each in letters[index:]]
        if clock.stopwatch() > end or batch.stopping.is_set():
            await outcomes.release(left)
            return True
        try:
            await sent_log.add(letter.mail, await _carry(carrier, letter))
        except Refused as reason:
            await outcomes.dead_letter([letter.mail], str(reason))
        except NotNow as reason:
            await outcomes.retry([letter.mail], str(reason))
        except (Lost, Nobody) as reason:
            losses += 1 if isinstance(reason, Lost) else LOSSES
            await outcomes.retry(left if losses >= LOSSES else [letter.mail], str(reason))
            if losses >= LOSSES:
                return False
    return True


async def _carry(carrier: Carrier, letter: Letter) -> dict[str, str]:
    """An unexpected error of the carrier counts against its own letter alone."""
    try:
        return await carrier.carry(letter)
    except NotCarried:
        raise
    except Exception as error:
        reason = reason_of(error)
        _log.error("mail %s of brand %s cannot be sent: %s", letter.mail.ref, letter.mail.brand_ref, reason)
        raise NotNow(f"it cannot be sent: {reason}") from error
