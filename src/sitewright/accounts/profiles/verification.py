"""Verification of a profile's e-mail address: visitors' messages are sent only to a verified address.

The address is verified by a link that is mailed to it. The link is bound to the profile and to the address, so that it
becomes invalid when the address changes.
"""

from datetime import timedelta

from sitewright.accounts.profiles import store
from sitewright.accounts.profiles.mails import PROFILE_VERIFICATION
from sitewright.accounts.profiles.store import Contact
from sitewright.accounts.profiles.tokens import PROFILE_EMAIL_TOKEN
from sitewright.kit import audit, clock, mail, tokens
from sitewright.kit.addresses import is_address
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.mail import Mail
from sitewright.kit.resources import Resources

VERIFY_EMAIL = "/verify-email"
MAILS_AN_HOUR = 5
HOUR = timedelta(hours=1)


async def verified_address(tx: Transaction, profile_ref: int) -> str | None:
    """The recipient of visitors' messages; None: the account holder's own address."""
    contact = await store.find_contact(tx, profile_ref)
    return contact.email if contact is not None and contact.is_verified else None


async def unverified_address(tx: Transaction, profile_ref: int) -> str | None:
    """The profile's address, if it is not verified yet."""
    contact = await store.find_contact(tx, profile_ref)
    return contact.email if contact is not None and _needs_link(contact) else None


async def verify_or_send_link(tx: Transaction, resources: Resources, caller: Caller, profile_ref: int) -> None:
    """After a change: the holder's own verified address is verified here too; any other is mailed a link.

    The holder is locked, so that the rate limit is exact. Beyond it no mail is sent.
    """
    contact = await store.find_contact(tx, profile_ref)
    if contact is None or not _needs_link(contact):
        if contact is not None and contact.is_holders_verified:
            await store.set_verified_email(tx, profile_ref, contact.email)
        return
    issued = await tokens.issued_since(tx, PROFILE_EMAIL_TOKEN, [contact.user_ref], clock.now() - HOUR)
    if issued.get(contact.user_ref, 0) >= MAILS_AN_HOUR:
        return
    secret = await tokens.issue(
        tx, PROFILE_EMAIL_TOKEN, contact.brand_ref, contact.user_ref, bound_to=_bound_to(profile_ref, contact)
    )
    url = f"{resources.settings.service_url}{VERIFY_EMAIL}?token={secret}&profileRef={profile_ref}"
    message = Mail(kind=PROFILE_VERIFICATION, user_ref=contact.user_ref, facts={"to": contact.email, "url": url})
    await mail.put(tx, resources.sealer, contact.brand_ref, [message])
    await audit.record_by(tx, caller, "send verification email", "profile", profile_ref)


async def verify_address(tx: Transaction, profile_ref: int, secret: str, request_id: str) -> bool:
    """Use a mailed link, once. False: unknown, used, expired, or for an address that the profile no longer has."""
    await store.lock_holder(tx, profile_ref)
    contact = await store.find_contact(tx, profile_ref)
    if contact is None:
        return False
    bound_to = _bound_to(profile_ref, contact)
    if await tokens.claim(tx, PROFILE_EMAIL_TOKEN, secret, contact.user_ref, bound_to=bound_to) is None:
        return False
    await store.set_verified_email(tx, profile_ref, contact.email)
    await audit.record(
        tx,
        actor=f"user:{contact.user_ref}",
        action="verify email",
        subject="profile",
        ref=profile_ref,
        brand_ref=contact.brand_ref,
        request_id=request_id,
    )
    return True


def _needs_link(contact: Contact) -> bool:
    """The holder's own address needs no link: messages are sent there by default."""
    return is_address(contact.email) and not contact.is_verified and contact.email != contact.holder_email


def _bound_to(profile_ref: int, contact: Contact) -> str:
    return f"{profile_ref}\n{contact.email}"
