"""Invitations of brand staff: a mailed link, which works once and for 7 days, lets the person set a password."""

from collections.abc import Sequence
from datetime import timedelta

import msgspec

from sitewright.kit import audit, clock, mail, tokens
from sitewright.kit.addresses import is_address
from sitewright.kit.auth.caller import Caller, Role
from sitewright.kit.db import Transaction
from sitewright.kit.mail import Mail
from sitewright.kit.problems import Invalid
from sitewright.kit.sealing import Sealer
from sitewright.tenants.credentials import service as credentials
from sitewright.tenants.credentials.errors import InvitationNotFound, InvitationNotUsable, TooManyOperators
from sitewright.tenants.credentials.invitations import store
from sitewright.tenants.credentials.invitations.mails import LIFETIME, OPERATOR_INVITATION
from sitewright.tenants.credentials.invitations.schemas import NewInvitation
from sitewright.tenants.credentials.invitations.store import Invitation
from sitewright.tenants.credentials.operators import service as operators

__all__ = [
    "ACCEPT",
    "Accepted",
    "Invitation",
    "NewInvitation",
    "accept",
    "find",
    "invite",
    "list_invitations",
    "withdraw",
]

ACCEPT = "/console/invitation"
"""The page that the mailed link leads to; the secret is its parameter `h`."""
KEPT_AFTER_EXPIRY = timedelta(days=30)


class Accepted(msgspec.Struct, frozen=True, kw_only=True):
    """What the invited person chose."""

    username: str
    password_hash: str


async def invite(
    tx: Transaction, sealer: Sealer, caller: Caller, brand_ref: int, wanted: NewInvitation, service_url: str
) -> Invitation:
    """Mail an invitation to the transaction's brand."""
    if not is_address(wanted.email):
        raise Invalid.fields({"email": {"invalidEmail": "must be an e-mail address"}})
    now = clock.now()
    await store.delete_expired(tx, now - KEPT_AFTER_EXPIRY)
    if await operators.count_operators(tx) + await store.count_invitations(tx) >= operators.MAX_OPERATORS:
        raise TooManyOperators
    secret, expires_at = tokens.new_secret(brand_ref), now + LIFETIME
    digest = tokens.digest_of(secret)
    ref = await store.insert_invitation(tx, digest, wanted.name, wanted.email, wanted.role, now, expires_at)
    facts = {"to": wanted.email, "name": wanted.name, "url": f"{service_url}{ACCEPT}?h={secret}"}
    await mail.put(tx, sealer, brand_ref, [Mail(kind=OPERATOR_INVITATION, user_ref=None, facts=facts)])
    await audit.record_by(tx, caller, "create", "operatorInvitation", ref, role=wanted.role)
    return Invitation(ref, wanted.name, wanted.email, wanted.role, now, expires_at)


async def list_invitations(tx: Transaction) -> list[Invitation]:
    """The brand's open invitations, oldest first, also those that expired in the last 30 days."""
    return await store.list_invitations(tx)


async def withdraw(tx: Transaction, caller: Caller, ref: int) -> None:
    """Its link does not work any more."""
    if not await store.delete_invitation(tx, ref):
        raise InvitationNotFound
    await audit.record_by(tx, caller, "delete", "operatorInvitation", ref)


async def find(tx: Transaction, secret: str) -> Invitation:
    """The invitation of a mailed link, without using it."""
    found = await store.find_invitation(tx, tokens.digest_of(secret), clock.now())
    if found is None:
        raise InvitationNotUsable
    return found


async def accept(tx: Transaction, brand_ref: int, secret: str, accepted: Accepted, request_id: str) -> int:
    """Use the invitation up, and return the ref of the new operator. Of several concurrent uses one succeeds."""
    invitation = await find(tx, secret)
    if not await store.delete_invitation(tx, invitation.ref):
        raise InvitationNotUsable
    role = Role(invitation.role)
    invited = Caller(role=role, name=f"invitation:{invitation.ref}", brand_ref=brand_ref, request_id=request_id)
    return await credentials.create_operator(
        tx,
        invited,
        brand_ref=brand_ref,
        username=accepted.username,
        password_hash=accepted.password_hash,
        role=role,
        name=invitation.name,
        email=invitation.email,
    )


async def names_of(tx: Transaction, refs: Sequence[int]) -> dict[int, str]:
    """The names of people with open invitations."""
    return await store.names_of(tx, refs)
