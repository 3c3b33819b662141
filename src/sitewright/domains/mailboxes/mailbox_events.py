"""Events about mailboxes. Without their addresses, which are personal data."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from sitewright.events import service as events
from sitewright.events.kinds import AccountHolderRef, EventBody, EventKind, HolderField
from sitewright.kit.db import Transaction
from sitewright.kit.http.about import about


class MailboxBody(EventBody, frozen=True, kw_only=True, rename="camel"):
    """What happened to a mailbox."""

    account_holder: HolderField
    mailbox_ref: Annotated[int, about("The mailbox's number.", 4)]
    account_domain_ref: Annotated[int, about("The account domain that it belongs to.", 6)]


MAILBOX_CREATED = EventKind(name="mailbox.created", summary="A mailbox was created.", body=MailboxBody)
MAILBOX_DELETED = EventKind(
    name="mailbox.deleted", summary="A mailbox was deleted, alone or with its domain.", body=MailboxBody
)
KINDS = (MAILBOX_CREATED, MAILBOX_DELETED)


async def emit(tx: Transaction, kind: EventKind, mailboxes: Sequence[tuple[int, int, int]], at: datetime) -> None:
    """`mailboxes`: each with its account domain and account holder."""
    bodies = [
        MailboxBody(account_holder=AccountHolderRef(user_ref), mailbox_ref=ref, account_domain_ref=account_domain_ref)
        for ref, account_domain_ref, user_ref in mailboxes
    ]
    await events.emit_many(tx, [kind.event(body, at) for body in bodies])
