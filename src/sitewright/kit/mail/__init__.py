"""Mail to account holders, by way of an outbox: written in the transaction that causes it, sent by the worker.

What is written is which kind of mail it is, for whom, and its facts (sealed: links in them are secrets). Words,
language and address are found when it is sent, so that it speaks to the account holder as they are then.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal, get_args

import msgspec

from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.kit.mail import store
from sitewright.kit.sealing import Sealer

Kind = Literal[
    "welcome",
    "passwordReset",
    "verification",
    "profileVerification",
    "passwordChanged",
    "trialEnding",
    "trialEnded",
    "subscribed",
    "upgraded",
    "downgraded",
    "cancelled",
    "renewed",
    "contactMessage",
    "certificateExpiring",
]
KINDS: tuple[str, ...] = get_args(Kind)
AWAITED = ("welcome", "passwordReset", "verification", "profileVerification", "passwordChanged", "contactMessage")
"""Somebody waits for these, or has to hear of it at once: they go first."""


class Mail(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    kind: Kind
    user_ref: int | None
    """None: it is for whoever runs the brand; its facts tell the address."""
    site_ref: int | None = None
    """The site it tells of: when that is erased, the mail goes."""
    facts: dict[str, Any] = {}
    """What the words need beside the account holder and the brand. `to`: another address than the account holder's;
    `replyTo`: another than that of the brand's support."""


class SealedMails(msgspec.Struct, frozen=True):
    """Mails with encrypted facts, as columns, ready to be inserted into the outbox of their brand."""

    brand_ref: int
    user_refs: list[int | None]
    site_refs: list[int | None]
    kinds: list[str]
    facts: list[bytes]


def seal(sealer: Sealer, brand_ref: int, mails: Sequence[Mail]) -> SealedMails:
    return SealedMails(
        brand_ref,
        [mail.user_ref for mail in mails],
        [mail.site_ref for mail in mails],
        [mail.kind for mail in mails],
        sealer.seal_all([msgspec.json.encode(mail.facts) for mail in mails], _context(brand_ref)),
    )


async def put_sealed(tx: Transaction, mails: SealedMails, *, at: datetime | None = None) -> None:
    """Inserts them into the outbox with one statement."""
    if mails.kinds:
        columns = mails.user_refs, mails.site_refs, mails.kinds, mails.facts
        await store.insert_mails(tx, mails.brand_ref, at or clock.now(), *columns, AWAITED)


async def put(
    tx: Transaction, sealer: Sealer, brand_ref: int, mails: Sequence[Mail], *, at: datetime | None = None
) -> None:
    await put_sealed(tx, seal(sealer, brand_ref, mails), at=at)


async def forget_user(tx: Transaction, user_ref: int) -> None:
    """Whatever waits for the user goes, and so does what is kept of mails sent."""
    await store.delete_mails(tx, user_ref)


async def forget_site(tx: Transaction, site_ref: int) -> None:
    """Whatever tells of the site goes, sent or not."""
    await store.delete_mails_of_site(tx, site_ref)


def open_facts(sealer: Sealer, brand_ref: int, sealed: bytes) -> dict[str, Any]:
    return msgspec.json.decode(sealer.unseal(sealed, _context(brand_ref)), type=dict[str, Any])


def _context(brand_ref: int) -> str:
    return f"mail/{brand_ref}"
