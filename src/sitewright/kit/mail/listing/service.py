"""The mails of a brand as its staff sees them: to whom, of which kind, and whether they were sent. No content."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

import msgspec

from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.keyset import Page, PageRequest
from sitewright.kit.mail import store as mail_store
from sitewright.kit.mail.listing import store
from sitewright.kit.mail.listing.store import MailRow
from sitewright.kit.mail.outcomes import LEASE
from sitewright.kit.problems import NotFound

State = Literal["waiting", "sent", "failed"]


class MailNotFound(NotFound):
    code = "emailNotFound"
    title = "No such mail"
    detail = "This brand has no mail with this number; mails are kept for 30 days."


class NotRetriable(NotFound):
    code = "emailNotRetriable"
    title = "This mail cannot be sent again"
    detail = "The brand has no such mail, it was sent, it is being sent, or it contained a secret that was deleted."


class MailFilter(msgspec.Struct, frozen=True, kw_only=True):
    state: State | None = None
    kind: str | None = None
    user_refs: Sequence[int] | None = None
    since: datetime | None = None
    """When it was created; for failed ones: given up."""
    until: datetime | None = None
    """Exclusive."""


async def list_mails(tx: Transaction, wanted: MailFilter, page: PageRequest) -> Page[MailRow]:
    return await store.list_mails(tx, wanted, page)


async def find_mail(tx: Transaction, ref: int) -> MailRow:
    found = await store.find_mail(tx, ref)
    if found is None:
        raise MailNotFound
    return found


def state_of(row: MailRow) -> State:
    return "sent" if row.sent_at is not None else "failed" if row.failed_at is not None else "waiting"


def may_be_retried(row: MailRow) -> bool:
    """It failed, or waits for a later attempt, and its content was kept."""
    waits = row.failed_at is None and row.attempts > 0 and row.next_attempt_at > clock.now() + LEASE
    return row.sent_at is None and row.has_content and (row.failed_at is not None or waits)


async def retry(tx: Transaction, caller: Caller, brand_ref: int, ref: int | None) -> list[int]:
    """Retry one mail of the transaction's brand, or all that failed or wait for a later attempt; returns which."""
    retried = [key[1] for key in await mail_store.retry(tx, brand_ref, ref, clock.now(), LEASE)]
    if ref is not None and not retried:
        raise NotRetriable
    await audit.record_each_by(tx, caller, "retry", "mail", retried)
    return retried
