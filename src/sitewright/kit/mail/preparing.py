"""From claimed mails to messages: read in a short transaction, rendered outside of it."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

import msgspec

from sitewright.kit import clock
from sitewright.kit.links import check_link
from sitewright.kit.mail import open_facts, store
from sitewright.kit.mail.facts import one_line
from sitewright.kit.mail.message import AddressUnusable, Sender, compose, sender_of
from sitewright.kit.mail.outcomes import MailOutcomes
from sitewright.kit.mail.rendering import OwnTemplates, error_location, render
from sitewright.kit.mail.store import WaitingMail
from sitewright.kit.mail.transports import OutgoingMail
from sitewright.kit.mail_features import MailBrand, Recipient
from sitewright.kit.mail_kinds import MailKind
from sitewright.kit.resources import Resources

_log = logging.getLogger("sitewright.mail")


class Dropped(Exception):
    """The mail must not be sent any more; the message is the reason."""


class UnknownKind(Exception):
    """Another release stored the mail. During an upgrade a worker of that release may take over one of its retries."""

    def __init__(self, name: str) -> None:
        super().__init__(f"this release has no mails of kind {name}; upgrade, then run: sitewright mail retry")


class _Batch(msgspec.Struct, frozen=True, kw_only=True):
    """Mails of one brand, with everything that is needed to render them."""

    mails: list[WaitingMail]
    brand: MailBrand
    recipients: dict[int, Recipient]
    own: OwnTemplates
    sender: Sender


async def prepare(
    resources: Resources, brand_ref: int, refs: Sequence[int], outcomes: MailOutcomes
) -> list[OutgoingMail]:
    """The mails that can be sent. The outcome of the others is recorded; one bad mail does not stop the others."""
    batch = await _read(resources, brand_ref, refs)
    prepared: list[OutgoingMail] = []
    for mail in batch.mails:
        await asyncio.sleep(0)  # rendering a batch takes a while: let other tasks run
        try:
            prepared.append(_outgoing_mail(resources, batch, mail))
        except Dropped as reason:
            await outcomes.drop([mail], str(reason))
        except AddressUnusable as reason:
            await outcomes.dead_letter([mail], str(reason))
        except UnknownKind as reason:
            await outcomes.retry([mail], str(reason))
        except Exception as error:  # a bug, or another master key: may be fixed before the last retry
            _log.error("mail cannot be rendered: brand %s, %s: %s", brand_ref, mail.kind, error_location(error))
            await outcomes.retry([mail], f"it cannot be rendered: {type(error).__name__}")
    return prepared


async def _read(resources: Resources, brand_ref: int, refs: Sequence[int]) -> _Batch:
    async with resources.database.transaction(brand_ref) as tx:
        mails = await store.waiting_mails(tx, refs)
        user_refs = {mail.user_ref for mail in mails if mail.user_ref is not None}
        brand = await resources.mail.find_brand(tx)
        if brand.mail_logo is not None:
            brand = msgspec.structs.replace(brand, mail_logo=resources.settings.service_url + brand.mail_logo)
        return _Batch(
            mails=mails,
            brand=brand,
            recipients=await resources.mail.find_recipients(tx, sorted(user_refs)),
            own=await store.own_templates(tx),
            sender=sender_of(brand, resources.settings.mail_from),
        )


def _outgoing_mail(resources: Resources, batch: _Batch, mail: WaitingMail) -> OutgoingMail:
    recipient = Recipient() if mail.user_ref is None else batch.recipients.get(mail.user_ref)
    if recipient is None:
        raise Dropped("the account holder is deleted or anonymized")
    kind = _kind_if_current(resources, mail)
    if kind.hides_holder:
        recipient = msgspec.structs.replace(recipient, first_name=None, last_name=None, username=None)
    facts = _facts(resources, kind, mail, recipient)
    address, reply_to = (facts.get(name) for name in ("to", "replyTo"))
    at = clock.real_now()
    sender, name = batch.sender, facts.get("fromName")
    if isinstance(name, str) and name:
        sender = Sender(one_line(name), sender.address)
    message = compose(
        mail,
        address if isinstance(address, str) else recipient.email or "",
        render(kind, recipient, facts, batch.brand, batch.own),
        sender,
        at,
        reply_to if isinstance(reply_to, str) else recipient.contact or batch.brand.contact,
    )
    return OutgoingMail(mail=mail, message=message, at=at, is_test=batch.brand.test_mode)


def _kind_if_current(resources: Resources, mail: WaitingMail) -> MailKind:
    kind = resources.mail.kinds.get(mail.kind)
    if kind is None:
        raise UnknownKind(mail.kind)
    if kind.link_lifetime is not None and clock.now() > mail.created_at + kind.link_lifetime:
        raise Dropped("its link has expired")
    return kind


def _facts(resources: Resources, kind: MailKind, mail: WaitingMail, recipient: Recipient) -> dict[str, Any]:
    facts = {} if mail.facts is None else open_facts(resources.sealer, mail.brand_ref, mail.facts)
    if kind.has_login_button:
        here = f"{resources.settings.service_url}{resources.mail.login_path}?brandRef={mail.brand_ref}"
        return {"loginUrl": check_link(recipient.login_url) if recipient.login_url else here} | facts
    return facts
