"""Whether a profile's e-mail address is the account holder's to use: visitors' messages go to none that is not proven.

The address is proven by a link that is mailed to it. A link is bound to the profile and to the address, so that it is
worthless once the profile names another one.
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
    """Where visitors' messages may go; None: to the account holder's own address."""
    contact = await store.find_contact(tx, profile_ref)
    return contact.email if contact is not None and contact.is_verified else None


async def unverified_address(tx: Transaction, profile_ref: int) -> str | None:
    """The profile's address, while it is still to be proven."""
    contact = await store.find_contact(tx, profile_ref)
    return contact.email if contact is not None and _is_open(contact) else None


async def verify_or_ask(tx: Transaction, resources: Resources, caller: Caller, profile_ref: int) -> None:
    """After a change: the holder's own verified address needs no further proof, any other is mailed a link.

    The holder is locked, so that mails are counted one at a time. Beyond the limit there is no mail.
    """
    contact = await store.find_contact(tx, profile_ref)
    if contact is None or not _is_open(contact):
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
    letter = Mail(kind=PROFILE_VERIFICATION, user_ref=contact.user_ref, facts={"to": contact.email, "url": url})
    await mail.put(tx, resources.sealer, contact.brand_ref, [letter])
    await audit.record_by(tx, caller, "send verification email", "profile", profile_ref)


async def verify_address(tx: Transaction, profile_ref: int, secret: str, request_id: str) -> bool:
    """Use up a mailed link. False: unknown, used, expired, or for an address that the profile no longer names."""
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


def _is_open(contact: Contact) -> bool:
    """Messages go to the holder's own address anyway: that one needs no link."""
    return is_address(contact.email) and not contact.is_verified and contact.email != contact.holder_email


def _bound_to(profile_ref: int, contact: Contact) -> str:
    return f"{profile_ref}\n{contact.email}"
