"""From claimed mails to messages: read in a short transaction, rendered outside of it."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

import msgspec

from sitewright.kit import clock
from sitewright.kit.links import check_link
from sitewright.kit.mail import open_facts, store
from sitewright.kit.mail.carriers import Letter
from sitewright.kit.mail.message import AddressUnusable, Sender, compose, sender_of
from sitewright.kit.mail.outcomes import MailOutcomes
from sitewright.kit.mail.rendering import OwnTemplates, render, where
from sitewright.kit.mail.store import Brand, WaitingMail
from sitewright.kit.mail_kinds import MailKind
from sitewright.kit.resources import Resources

_log = logging.getLogger("sitewright.mail")


class Dropped(Exception):
    """Why a mail is not to be sent any more."""


class UnknownKind(Exception):
    """Another release stored the mail. During an upgrade a worker of that release may take over one of its retries."""

    def __init__(self, name: str) -> None:
        super().__init__(f"this release has no mails of kind {name}; upgrade, then run: sitewright mail retry")


async def prepare(resources: Resources, brand_ref: int, refs: Sequence[int], outcomes: MailOutcomes) -> list[Letter]:
    """The mails that can be sent. The outcome of the others is recorded; one bad mail does not stop the others."""
    async with resources.database.transaction(brand_ref) as tx:
        mails = await store.waiting_mails(tx, refs)
        brand = await store.find_brand(tx)
        own = await store.own_templates(tx)
    if brand is None:
        return []
    letters, sender = [], sender_of(brand, resources.settings.mail_from)
    for mail in mails:
        await asyncio.sleep(0)  # rendering a batch takes a while: let other tasks run
        try:
            letters.append(_letter(resources, mail, brand, own, sender))
        except Dropped as reason:
            await outcomes.drop([mail], str(reason))
        except AddressUnusable as reason:
            await outcomes.dead_letter([mail], str(reason))
        except UnknownKind as reason:
            await outcomes.retry([mail], str(reason))
        except Exception as error:  # a bug, or another master key: it may be fixed before the last retry
            _log.error("mail cannot be written: brand %s, %s: %s", brand_ref, mail.kind, where(error))
            await outcomes.retry([mail], f"it cannot be written: {type(error).__name__}")
    return letters


def _letter(resources: Resources, mail: WaitingMail, brand: Brand, own: OwnTemplates, sender: Sender) -> Letter:
    kind = _kind_if_current(resources, mail)
    if kind.hides_holder:
        mail = msgspec.structs.replace(mail, first_name=None, last_name=None, username=None)
    facts = _facts(resources, kind, mail)
    recipient, reply_to = (facts.get(name) for name in ("to", "replyTo"))
    rendered = render(kind, mail, facts, brand, own)
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


def _kind_if_current(resources: Resources, mail: WaitingMail) -> MailKind:
    if mail.email is None and mail.user_ref is not None:
        raise Dropped("the account holder is deleted or anonymised")
    kind = resources.mail.kinds.get(mail.kind)
    if kind is None:
        raise UnknownKind(mail.kind)
    if kind.link_lifetime is not None and clock.now() > mail.created_at + kind.link_lifetime:
        raise Dropped("its link has expired")
    return kind


def _facts(resources: Resources, kind: MailKind, mail: WaitingMail) -> dict[str, Any]:
    facts = {} if mail.facts is None else open_facts(resources.sealer, mail.brand_ref, mail.facts)
    if kind.has_login_button:
        here = f"{resources.settings.service_url}{resources.mail.login_path}?brandRef={mail.brand_ref}"
        return {"loginUrl": check_link(mail.login_url) if mail.login_url else here} | facts
    return facts
