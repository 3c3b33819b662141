"""The worker's round: mails whose time has come are claimed, written out and carried away.

A claim commits on its own and lasts for a while. A sender that dies leaves its mails to whoever claims them next: a
mail may then arrive twice, under the same Message-ID, but never not at all. What was carried away is written down
while the next is on its way, so that few are in doubt.
"""

import asyncio
import logging
from collections.abc import Sequence
from datetime import timedelta
from functools import partial

from sitewright.kit import clock
from sitewright.kit.failures import is_database_away, reason_of
from sitewright.kit.jobs import Round
from sitewright.kit.mail import outcomes, store
from sitewright.kit.mail.carriers import Carrier, Letter, Lost, Nobody, NotCarried, NotNow, Refused
from sitewright.kit.mail.eml import FolderCarrier
from sitewright.kit.mail.notes import Notes
from sitewright.kit.mail.preparing import prepare
from sitewright.kit.mail.smtp import SmtpCarrier
from sitewright.kit.mail.store import Key
from sitewright.kit.resources import Resources
from sitewright.settings import Settings

LEASE = timedelta(minutes=5)
BATCH = 50
BATCH_SECONDS = 5.0
"""After this time a batch begins no other mail but gives the rest back: far within the lease, and short enough for a
worker that is told to stop."""
ROUND_SECONDS = 5.0
LOSSES = 2
"""Of connections, in one batch; then the rest waits."""
_log = logging.getLogger("sitewright.mail")


def round_beside(others: Sequence[Round]) -> Round:
    """While one of the others is under way, only what somebody waits for goes out, and the rest waits for its end."""
    return Round("mail", 1.0, partial(send_due_mails, beside=others))


async def send_due_mails(resources: Resources, beside: Sequence[Round] = ()) -> None:
    """For as long as there are full batches, or until nobody takes mail, or the round has gone on for long enough.

    What comes in after the last batch waits for the next round: together, mails cost less than one by one.
    """
    end = clock.stopwatch() + ROUND_SECONDS
    while clock.stopwatch() < end:
        stands_back = any(other.is_under_way for other in beside)
        batches = await _claim(resources, only_awaited=stands_back)
        if not await _send_all(resources, batches) or len(batches[-1]) < BATCH:
            return


async def _claim(resources: Resources, *, only_awaited: bool) -> list[list[Key]]:
    """Not more batches than there may be connections."""
    most = resources.settings.smtp_connections
    batches: list[list[Key]] = []
    async with resources.database.connection() as connection:
        while len(batches) < most:
            batch = await store.claim(connection, clock.now(), LEASE, BATCH, only_awaited=only_awaited)
            if batch:
                batches.append(batch)
            if len(batch) < BATCH:
                break
    return batches


async def _send_all(resources: Resources, batches: Sequence[Sequence[Key]]) -> bool:
    """Whether there were mails, and somebody to take them."""
    taken = await asyncio.gather(*(_send(resources, batch) for batch in batches), return_exceptions=True)
    for outcome in taken:
        if isinstance(outcome, BaseException):
            raise outcome
    return bool(batches) and all(taken)


async def _send(resources: Resources, batch: Sequence[Key]) -> bool:
    """Whether there was somebody to take the mails."""
    letters: list[Letter] = []
    for brand_ref in sorted({brand_ref for brand_ref, _ in batch}):
        letters += await _prepare(resources, brand_ref, [ref for brand, ref in batch if brand == brand_ref])
    carrier = carrier_for(resources.settings)
    try:
        return await _carry_all(resources, carrier, letters)
    finally:
        await carrier.close()


async def _prepare(resources: Resources, brand_ref: int, refs: Sequence[int]) -> list[Letter]:
    """What stops one brand's mails does not stop the others': they are claimed again when their lease is over."""
    try:
        return await prepare(resources, brand_ref, refs)
    except Exception as error:
        if is_database_away(error):
            raise
        _log.error("mails of brand %s cannot be prepared: %s", brand_ref, reason_of(error))
        return []


def carrier_for(settings: Settings) -> Carrier:
    return SmtpCarrier(settings) if settings.smtp_host else FolderCarrier(settings.mail_path)


async def _carry_all(resources: Resources, carrier: Carrier, letters: Sequence[Letter]) -> bool:
    try:
        async with Notes(resources, carrier) as notes:
            return await _carry_each(resources, carrier, letters, notes)
    except Nobody:  # those that seemed to be carried are put off
        return False


async def _carry_each(resources: Resources, carrier: Carrier, letters: Sequence[Letter], notes: Notes) -> bool:
    end, losses = clock.stopwatch() + BATCH_SECONDS, 0
    for index, letter in enumerate(letters):
        left = [each.mail for each in letters[index:]]
        if clock.stopwatch() > end:
            await outcomes.give_back(resources, left)
            return True
        try:
            await notes.add(letter.mail, await _carry(carrier, letter))
        except Refused as reason:
            await outcomes.give_up(resources, [letter.mail], str(reason))
        except NotNow as reason:
            await outcomes.put_off(resources, [letter.mail], str(reason))
        except (Lost, Nobody) as reason:
            losses += 1 if isinstance(reason, Lost) else LOSSES
            await outcomes.put_off(resources, left if losses >= LOSSES else [letter.mail], str(reason))
            if losses >= LOSSES:
                return False
    return True


async def _carry(carrier: Carrier, letter: Letter) -> dict[str, str]:
    """An error that no carrier should raise is put down to the letter, and does not stop those behind it."""
    try:
        return await carrier.carry(letter)
    except NotCarried:
        raise
    except Exception as error:
        reason = reason_of(error)
        _log.error("mail %s of brand %s cannot be sent: %s", letter.mail.ref, letter.mail.brand_ref, reason)
        raise NotNow(f"it cannot be sent: {reason}") from error
