"""Mail to account holders: put into an outbox in the transaction that causes it, sent by the worker.

The outbox stores the kind of the mail, the recipient and the facts (encrypted, since links in them are secrets). Texts,
language and address are looked up when the mail is sent, so that it uses the account holder's data of that moment.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.kit.mail import store
from sitewright.kit.mail.store import ListedMail
from sitewright.kit.mail_kinds import MailKind
from sitewright.kit.sealing import Sealer


class Mail(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    kind: MailKind
    user_ref: int | None
    """None: it is for the brand's own staff; its facts hold the address."""
    site_ref: int | None = None
    """The site it is about: when that is erased, the mail is deleted."""
    facts: dict[str, Any] = {}
    """What the texts need in addition to the account holder and the brand. `to` replaces the account holder's address,
    `replyTo` that of the brand's support, and `fromName` the name of the sender."""


class SealedMails(msgspec.Struct, frozen=True):
    """Mails with encrypted facts, as columns, ready to be inserted into the outbox of their brand."""

    brand_ref: int
    user_refs: list[int | None]
    site_refs: list[int | None]
    kinds: list[str]
    """Names."""
    are_urgent: list[bool]
    facts: list[bytes]


def seal(sealer: Sealer, brand_ref: int, mails: Sequence[Mail]) -> SealedMails:
    return SealedMails(
        brand_ref,
        [mail.user_ref for mail in mails],
        [mail.site_ref for mail in mails],
        [mail.kind.name for mail in mails],
        [mail.kind.is_urgent for mail in mails],
        sealer.seal_all([msgspec.json.encode(mail.facts) for mail in mails], _context(brand_ref)),
    )


async def put_sealed(tx: Transaction, mails: SealedMails, *, at: datetime | None = None) -> None:
    """Inserts them into the outbox with one statement."""
    if mails.kinds:
        columns = mails.user_refs, mails.site_refs, mails.kinds, mails.are_urgent, mails.facts
        await store.insert_mails(tx, mails.brand_ref, at or clock.now(), *columns)


async def put(
    tx: Transaction, sealer: Sealer, brand_ref: int, mails: Sequence[Mail], *, at: datetime | None = None
) -> None:
    await put_sealed(tx, seal(sealer, brand_ref, mails), at=at)


async def newest_of_user(tx: Transaction, user_ref: int, most: int) -> list[ListedMail]:
    return await store.list_mails_of_user(tx, user_ref, most)


async def count_newest_of_user(tx: Transaction, user_ref: int, kind: MailKind, since: datetime, most: int) -> int:
    """Mails of the kind since then, up to `most`, sent or not."""
    return await store.count_newest_of_user(tx, user_ref, kind.name, since, most)


async def erase_user(tx: Transaction, user_ref: int) -> None:
    """Delete the user's mails, sent or not."""
    await store.delete_mails(tx, user_ref)


async def erase_site(tx: Transaction, site_ref: int) -> None:
    """Delete the mails about the site, sent or not."""
    await store.delete_mails_of_site(tx, site_ref)


def open_facts(sealer: Sealer, brand_ref: int, sealed: bytes) -> dict[str, Any]:
    return msgspec.json.decode(sealer.unseal(sealed, _context(brand_ref)), type=dict[str, Any])


def _context(brand_ref: int) -> str:
    return f"mail/{brand_ref}"
