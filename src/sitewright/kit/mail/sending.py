"""Claims due mails from the outbox, renders and sends them, in batches with one connection each.

If a worker dies, its mails are claimed again when their lease ends: a mail may then arrive twice, with the same
Message-ID, but is never lost. Sent mails are recorded while the next one is sent, so few can arrive twice.
"""

import logging
from collections.abc import Callable, Sequence
from typing import Any

from sitewright.kit import clock
from sitewright.kit.failures import is_database_unavailable, reason_of
from sitewright.kit.mail import store
from sitewright.kit.mail.eml import FolderTransport
from sitewright.kit.mail.outcomes import BACK_OFF, BATCH, LEASE, MailOutcomes
from sitewright.kit.mail.preparing import prepare
from sitewright.kit.mail.sent_log import SentLog
from sitewright.kit.mail.smtp import SmtpTransport
from sitewright.kit.mail.transports import (
    ConnectionLost,
    OutgoingMail,
    Rejected,
    SendError,
    ServerUnavailable,
    TemporaryFailure,
    Transport,
)
from sitewright.kit.outbox import Claimed, Outbox
from sitewright.kit.outbox.loop import Batch, OutboxLoop
from sitewright.kit.outbox.outcomes import by_brand
from sitewright.kit.resources import Resources
from sitewright.settings import Settings

BATCH_SECONDS = 5.0
"""After this time a batch sends no further mail but releases the rest: far within the lease."""
MAX_LOST_CONNECTIONS = 2
"""In one batch; then the rest is retried later."""
_log = logging.getLogger("sitewright.mail")


def mail_outbox(only_urgent: Callable[[], bool] = lambda: False) -> Outbox:
    """`only_urgent`: whether all other mails wait."""

    async def claim(*arguments: Any) -> list[Claimed]:
        return await store.claim(*arguments, only_urgent=only_urgent())

    return Outbox(
        name="mail",
        table=store.TABLE,
        claim=claim,
        lease=LEASE,
        back_off=BACK_OFF,
        batch=BATCH,
        concurrency=lambda settings: settings.smtp_connections,
    )


def mail_loop(only_urgent: Callable[[], bool] = lambda: False) -> OutboxLoop:
    return OutboxLoop(mail_outbox(only_urgent), _send)


async def _send(batch: Batch) -> bool:
    """False when the mail server is unavailable."""
    outcomes = MailOutcomes(batch.outcomes, batch.items, batch.resources.mail.kinds)
    prepared: list[OutgoingMail] = []
    for brand_ref, claims in sorted(by_brand(batch.items).items()):
        prepared += await _prepare(batch.resources, brand_ref, [each.ref for each in claims], outcomes)
    tests, others = [each for each in prepared if each.is_test], [each for each in prepared if not each.is_test]
    settings = batch.resources.settings
    is_kept = await _send_through(FolderTransport(settings.mail_path), batch, tests, outcomes)
    return await _send_through(transport_for(settings), batch, others, outcomes) and is_kept


async def _send_through(
    transport: Transport, batch: Batch, prepared: Sequence[OutgoingMail], outcomes: MailOutcomes
) -> bool:
    """False when the mail server, or the folder, is unavailable."""
    if not prepared:
        return True
    try:
        async with SentLog(outcomes, transport) as sent_log:
            return await _send_all(batch, transport, prepared, sent_log, outcomes)
    except ServerUnavailable:  # those that seemed to be sent are retried
        return False
    finally:
        await transport.close()


async def _prepare(
    resources: Resources, brand_ref: int, refs: Sequence[int], outcomes: MailOutcomes
) -> list[OutgoingMail]:
    """An error for all mails of one brand does not stop other brands; its mails are retried when their lease ends."""
    try:
        return await prepare(resources, brand_ref, refs, outcomes)
    except Exception as error:
        if is_database_unavailable(error):
            raise
        _log.error("mails of brand %s cannot be prepared: %s", brand_ref, reason_of(error))
        return []


def transport_for(settings: Settings) -> Transport:
    return SmtpTransport(settings) if settings.smtp_host else FolderTransport(settings.mail_path)


async def _send_all(
    batch: Batch, transport: Transport, prepared: Sequence[OutgoingMail], sent_log: SentLog, outcomes: MailOutcomes
) -> bool:
    end, losses = clock.stopwatch() + BATCH_SECONDS, 0
    for index, outgoing in enumerate(prepared):
        left = [each.mail for each in prepared[index:]]
        if clock.stopwatch() > end or batch.stopping.is_set():
            await outcomes.release(left)
            return True
        try:
            await sent_log.add(outgoing.mail, await _send_one(transport, outgoing))
        except Rejected as reason:
            await outcomes.dead_letter([outgoing.mail], str(reason))
        except TemporaryFailure as reason:
            await outcomes.retry([outgoing.mail], str(reason))
        except (ConnectionLost, ServerUnavailable) as reason:
            losses += 1 if isinstance(reason, ConnectionLost) else MAX_LOST_CONNECTIONS
            await outcomes.retry(left if losses >= MAX_LOST_CONNECTIONS else [outgoing.mail], str(reason))
            if losses >= MAX_LOST_CONNECTIONS:
                return False
    return True


async def _send_one(transport: Transport, outgoing: OutgoingMail) -> dict[str, str]:
    """An unexpected error of the transport fails only this mail."""
    try:
        return await transport.send(outgoing)
    except SendError:
        raise
    except Exception as error:
        reason = reason_of(error)
        _log.error("mail %s of brand %s cannot be sent: %s", outgoing.mail.ref, outgoing.mail.brand_ref, reason)
        raise TemporaryFailure(f"it cannot be sent: {reason}") from error
