"""Reading and answering visitors' messages. A reply is mailed to the visitor, in the name of the site."""

from collections.abc import Sequence
from datetime import timedelta

import msgspec

from sitewright.accounts.profiles import service as profiles
from sitewright.accounts.users import service as users
from sitewright.edge.mails import CONTACT_REPLY
from sitewright.edge.messages import store
from sitewright.edge.messages.errors import MessageNotFound, TooManyReplies
from sitewright.edge.messages.store import Message, Reply, export_user
from sitewright.kit import audit, clock, mail
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.mail import Mail
from sitewright.kit.problems import Invalid
from sitewright.kit.sealing import Sealer
from sitewright.sites.sites import service as sites
from sitewright.sites.sites.hooks import SiteCounts

__all__ = [
    "Message",
    "MessageList",
    "MessageNotFound",
    "Reply",
    "count_messages",
    "count_site",
    "count_unread",
    "delete_message",
    "export_user",
    "find_message",
    "list_messages",
    "list_replies",
    "mark",
    "newest_messages",
    "reply",
    "reply_address",
]
PAGE_SIZE = 20
MAX_UNREAD = 100
MAX_COUNTED = 1000
MAX_REPLY = 5000
PER_MESSAGE = 10
PER_HOLDER, WINDOW = 30, timedelta(hours=1)
"""Replies are mails to addresses that nobody verified, so they are limited."""


class MessageList(msgspec.Struct, frozen=True):
    """A page of messages, newest first, and the refs that the pages beside it are read from."""

    messages: Sequence[Message]
    newer: int | None
    older: int | None


async def list_messages(
    tx: Transaction, user_ref: int, *, before: int | None = None, after: int | None = None
) -> MessageList:
    """Paged by key: messages before a ref, or the page just after one."""
    found = await store.list_messages(tx, user_ref, PAGE_SIZE + 1, before, after)
    has_more = len(found) > PAGE_SIZE
    if after is not None:
        shown = found[-PAGE_SIZE:]
        return MessageList(shown, shown[0].ref if has_more else None, shown[-1].ref if shown else None)
    shown = found[:PAGE_SIZE]
    return MessageList(
        shown, shown[0].ref if shown and before is not None else None, shown[-1].ref if has_more else None
    )


async def newest_messages(tx: Transaction, user_ref: int, most: int) -> list[Message]:
    return await store.list_messages(tx, user_ref, most, None, None)


async def count_messages(tx: Transaction, user_ref: int) -> int:
    """Up to `MAX_COUNTED`."""
    return await store.count_messages(tx, user_ref, MAX_COUNTED)


async def count_unread(tx: Transaction, user_ref: int) -> int:
    """Up to `MAX_UNREAD`."""
    return await store.count_unread(tx, user_ref, MAX_UNREAD)


async def find_message(tx: Transaction, user_ref: int, ref: int, *, lock: bool = False) -> Message:
    """A message to one of the user's sites; others' look like missing ones."""
    message = await store.find_message(tx, user_ref, ref, lock=lock)
    if message is None:
        raise MessageNotFound
    return message


async def list_replies(tx: Transaction, message: Message) -> list[Reply]:
    return await store.list_replies(tx, message.ref)


async def mark(tx: Transaction, message: Message, *, is_read: bool) -> None:
    await store.set_read(tx, message.ref, clock.now() if is_read else None)


async def delete_message(tx: Transaction, caller: Caller, message: Message) -> None:
    """Delete it permanently, with its replies."""
    await store.delete_message(tx, message.ref)
    await audit.record_by(tx, caller, "delete", "contact message", message.ref)


async def reply_address(tx: Transaction, caller: Caller, user_ref: int, message: Message) -> str:
    """Where the visitor's answer goes: the site's verified contact address, else the account holder's own."""
    site = await sites.find_site(tx, caller, message.site_ref)
    user = await users.find_user(tx, caller, user_ref)
    return await profiles.verified_address(tx, site.profile_ref) or user.email


async def reply(tx: Transaction, sealer: Sealer, caller: Caller, user_ref: int, message_ref: int, text: str) -> None:
    """Store the reply, mail it, and mark the message as read. The account holder is locked first, as everywhere."""
    text = "\n".join(text.strip().splitlines())
    if not 1 <= len(text) <= MAX_REPLY or "\0" in text:
        raise Invalid.fields({"reply": {"invalidReply": f"must hold 1 to {MAX_REPLY} characters"}})
    user = await users.find_user(tx, caller, user_ref, lock=True)
    message = await find_message(tx, user_ref, message_ref, lock=True)
    await _check_limits(tx, user_ref, message)
    site = await sites.find_site(tx, caller, message.site_ref)
    now = clock.now()
    await store.insert_reply(tx, message.ref, text, now)
    await store.set_read(tx, message.ref, now)
    name = (await profiles.read_fields(tx, site.profile_ref)).get("business", "").strip()
    facts = {
        "to": message.email,
        "site": site.primary_domain or name,
        "fromName": name or site.primary_domain or "",
        "reply": text,
        "replyTo": await profiles.verified_address(tx, site.profile_ref) or user.email,
    }
    notification = Mail(kind=CONTACT_REPLY, user_ref=user_ref, site_ref=site.ref, facts=facts)
    await mail.put(tx, sealer, user.brand_ref, [notification])
    await audit.record_by(tx, caller, "reply", "contact message", message.ref)


async def _check_limits(tx: Transaction, user_ref: int, message: Message) -> None:
    """The account holder is locked, so that the limits are exact. Mails stay when their message is deleted."""
    recent = await mail.count_newest_of_user(tx, user_ref, CONTACT_REPLY, clock.now() - WINDOW, PER_HOLDER)
    if recent >= PER_HOLDER or len(await store.list_replies(tx, message.ref)) >= PER_MESSAGE:
        raise TooManyReplies(headers={"Retry-After": str(int(WINDOW.total_seconds()))})


async def count_site(tx: Transaction, counts: SiteCounts) -> None:
    """Observes `site_counted`."""
    counts.found["messages"] = await store.count_of_site(tx, counts.site_ref)
