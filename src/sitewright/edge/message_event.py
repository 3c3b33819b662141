"""The event of a visitor's message. It says nothing of the visitor."""

from datetime import datetime
from typing import Annotated

from sitewright.events import service as events
from sitewright.events.kinds import AccountHolderRef, EventBody, EventKind, HolderField, SiteField, SiteRef
from sitewright.kit.db import Transaction
from sitewright.kit.http.about import about


class MessageBody(EventBody, frozen=True, kw_only=True, rename="camel"):
    """A message that a visitor sent with a form of a site."""

    site: SiteField
    account_holder: HolderField
    message_ref: Annotated[int, about("The message's number.", 9)]


MESSAGE_RECEIVED = EventKind(
    name="message.received", summary="A visitor sent a message with a form of a site.", body=MessageBody
)
KINDS = (MESSAGE_RECEIVED,)


async def emit_received(tx: Transaction, site_ref: int, user_ref: int, message_ref: int, at: datetime) -> None:
    body = MessageBody(site=SiteRef(site_ref), account_holder=AccountHolderRef(user_ref), message_ref=message_ref)
    await events.emit_many(tx, [MESSAGE_RECEIVED.event(body, at)])
