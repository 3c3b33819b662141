"""Contact messages of a site's visitors: validated, rate limited, stored, and mailed to the site's contact.

A hidden honeypot field catches spam bots: their messages are discarded with a success response.
"""

import hashlib
from datetime import timedelta

import msgspec

from sitewright.accounts.profiles import service as profiles
from sitewright.edge import store
from sitewright.edge.mails import CONTACT_MESSAGE
from sitewright.edge.message_event import emit_received
from sitewright.edge.store import Site
from sitewright.kit import clock, mail
from sitewright.kit.addresses import is_address
from sitewright.kit.db import Transaction
from sitewright.kit.mail import Mail
from sitewright.kit.origin import rate_limit_key
from sitewright.kit.problems import Invalid
from sitewright.kit.resources import Resources
from sitewright.kit.validation import parse_form

MAX_FORM = 64 * 1024
MAX_NAME, MAX_EMAIL, MAX_MESSAGE = 150, 254, 5000
PER_VISITOR, VISITOR_WINDOW = 5, timedelta(minutes=10)
PER_SITE, SITE_WINDOW = 100, timedelta(hours=1)
MAX_PAGE = 255
HOME = "home"
FORM = b"application/x-www-form-urlencoded"
HONEYPOT = "website"
FORM_NAME, NEWSLETTER = "form", "newsletter"
"""The field by which the form of a newsletter differs from a contact form."""


class TooManyMessages(Exception):
    """The rate limit was exceeded; `text` is the key of the message for the visitor."""

    def __init__(self, text: str, seconds: int) -> None:
        self.text = text
        self.seconds = seconds
        super().__init__(text)


class Message(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    email: str
    message: str
    page: str
    """The snapshot path of the page that has the form."""

    @property
    def errors(self) -> dict[str, str]:
        """The text key for each invalid field."""
        checks = {
            "name": 1 <= len(self.name) <= MAX_NAME and "\0" not in self.name,
            "email": len(self.email) <= MAX_EMAIL and is_address(self.email),
            "message": 1 <= len(self.message) <= MAX_MESSAGE and "\0" not in self.message,
        }
        return {field: f"{field}_wrong" for field, is_valid in checks.items() if not is_valid}


def read_form(body: bytes, content_type: bytes) -> dict[str, str] | None:
    """Parse the form; None when the body is not one."""
    if content_type.partition(b";")[0].strip().lower() != FORM:
        return None
    try:
        return parse_form(body)
    except Invalid:
        return None


def message_of(form: dict[str, str]) -> Message | None:
    """Return the message; None when the honeypot field is filled in."""
    if form.get(HONEYPOT):
        return None
    return Message(
        name=" ".join(form.get("name", "").split()),
        email=form.get("email", "").strip(),
        message="\n".join(form.get("message", "").strip().splitlines()),
        page=page_of(form)[:MAX_PAGE],
    )


def is_newsletter(form: dict[str, str]) -> bool:
    return form.get(FORM_NAME) == NEWSLETTER


def as_newsletter_sign_up(form: dict[str, str], text: str) -> dict[str, str]:
    """The form with the name and text of a message, which visitors who only leave their address do not write."""
    return form | {"name": form.get("email", "")[:MAX_NAME] or "-", "message": text}


def page_of(form: dict[str, str]) -> str:
    path = form.get("page", "").strip().strip("/").lower()
    return "" if path == HOME else path


async def accept_message(resources: Resources, site: Site, host: str, message: Message, address: str) -> None:
    """Store the message and its mail in one transaction. Raises `TooManyMessages`."""
    key = resources.sealer.derive("contact form visitors")
    counted = f"{site.site_ref} {rate_limit_key(address)}".encode()
    visitor = hashlib.blake2b(counted, key=key.encode(), digest_size=16).digest()
    now = clock.now()
    async with resources.database.transaction(site.brand_ref) as tx:
        owner = await store.lock_and_find_owner(tx, site.site_ref)
        if owner is None:
            return
        recent = await store.count_recent(tx, site.site_ref, visitor, now, VISITOR_WINDOW, SITE_WINDOW, PER_SITE)
        if recent.of_visitor >= PER_VISITOR:
            raise TooManyMessages("too_many", int(VISITOR_WINDOW.total_seconds()))
        if recent.of_site >= PER_SITE:
            raise TooManyMessages("too_many_for_site", int(SITE_WINDOW.total_seconds()))
        message_ref = await store.insert_message(
            tx,
            site.brand_ref,
            site.site_ref,
            message.page,
            message.name,
            message.email,
            message.message,
            visitor,
            now,
        )
        recipient = await profiles.verified_address(tx, owner.profile_ref)
        facts = {
            "site": site.primary_domain or host,
            "visitorName": message.name,
            "visitorEmail": message.email,
            "message": message.message,
            "replyTo": message.email,
        }
        if recipient is not None:
            facts["to"] = recipient
        notification = Mail(kind=CONTACT_MESSAGE, user_ref=owner.user_ref, site_ref=site.site_ref, facts=facts)
        await mail.put(tx, resources.sealer, site.brand_ref, [notification])
        await emit_received(tx, site.site_ref, owner.user_ref, message_ref, now)


async def erase_messages(tx: Transaction, user_ref: int) -> None:
    """Delete the messages sent to the sites of a user who is anonymized."""
    await store.delete_messages(tx, user_ref)
