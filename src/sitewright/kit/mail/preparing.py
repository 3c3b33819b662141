"""From mails of the outbox to letters: read in a short transaction, written out outside of it."""

import asyncio
import logging
from collections.abc import Sequence

import msgspec

from sitewright.kit import clock, tokens
from sitewright.kit.links import check_link
from sitewright.kit.mail import open_facts, outcomes, store
from sitewright.kit.mail.carriers import Letter
from sitewright.kit.mail.message import AddressUnusable, Sender, compose, sender_of
from sitewright.kit.mail.rendering import Own, render, where
from sitewright.kit.mail.store import Brand, WaitingMail
from sitewright.kit.resources import Resources

LIFETIMES = {
    "passwordReset": tokens.LIFETIMES["reset"],
    "verification": tokens.LIFETIMES["verification"],
    "profileVerification": tokens.LIFETIMES["profileEmail"],
}
"""After this time the mail's link works no more, and nobody is helped by it."""
LEAD_NOWHERE = (*LIFETIMES, "passwordChanged", "contactMessage", "certificateExpiring")
"""Every other kind of mail has a button that leads to the log-in."""
_log = logging.getLogger("sitewright.mail")


class Dropped(Exception):
    """Why nobody gets this mail any more."""


async def prepare(resources: Resources, brand_ref: int, refs: Sequence[int]) -> list[Letter]:
    """Those that can be sent; what became of the others is written down. One bad mail stops no other."""
    async with resources.database.transaction(brand_ref) as tx:
        mails = await store.waiting_mails(tx, refs)
        brand = await store.find_brand(tx)
        own = await store.own_words(tx)
    if brand is None:
        return []
    letters, sender = [], sender_of(brand, resources.settings.mail_from)
    for mail in mails:
        await asyncio.sleep(0)  # a batch takes its time to write, and others share the loop
        try:
            letters.append(_write(resources, mail, brand, own, sender))
        except Dropped as reason:
            await outcomes.drop(resources, [mail], str(reason))
        except AddressUnusable as reason:
            await outcomes.give_up(resources, [mail], str(reason))
        except Exception as error:  # a bug, or another master key: it may be mended before the attempts are over
            _log.error("mail cannot be written: brand %s, %s: %s", brand_ref, mail.kind, where(error))
            await outcomes.put_off(resources, [mail], f"it cannot be written: {type(error).__name__}")
    return letters


def _write(resources: Resources, mail: WaitingMail, brand: Brand, own: Own, sender: Sender) -> Letter:
    if mail.email is None and mail.user_ref is not None:
        raise Dropped("the account holder is deleted or anonymised")
    lifetime = LIFETIMES.get(mail.kind)
    if lifetime is not None and clock.now() > mail.created_at + lifetime:
        raise Dropped("its link has expired")
    if mail.kind == "profileVerification":  # to an address that may be a stranger's: nothing the account holder wrote
        mail = msgspec.structs.replace(mail, first_name=None, last_name=None, username=None)
    facts = {} if mail.facts is None else open_facts(resources.sealer, mail.brand_ref, mail.facts)
    recipient, reply_to = (facts.get(name) for name in ("to", "replyTo"))
    if mail.kind not in LEAD_NOWHERE:
        here = f"{resources.settings.service_url}/login?brandRef={mail.brand_ref}"
        facts = {"loginUrl": check_link(mail.login_url) if mail.login_url else here} | facts
    rendered = render(mail, facts, brand, own)
    at = clock.real_now()
    message = compose(
        mail,
        recipient if isinstance(recipient, str) else mail.email or "",
        rendered,
        sender,
        at,
        reply_to if isinstance(reply_to, str) else mail.contact,
    )
    return Letter(mail=mail, message=message, at=at)
