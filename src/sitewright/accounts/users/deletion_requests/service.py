"""Requests for deletion: recorded, audited, and mailed to the brand's support. Nothing is deleted by them."""

from datetime import datetime

from sitewright.accounts.users.deletion_requests import store
from sitewright.accounts.users.errors import DeletionNotOffered
from sitewright.accounts.users.mails import DELETION_RECEIVED, DELETION_REQUESTED
from sitewright.kit import audit, clock, mail
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.mail import Mail
from sitewright.kit.sealing import Sealer
from sitewright.tenants.brands.schemas import BrandSettings

REQUEST = "request"


def is_offered(brand: BrandSettings) -> bool:
    """The brand's setting `selfServiceDeletion`; without an address there is nobody to send a request to."""
    return brand.self_service_deletion == REQUEST and brand.support_email is not None


async def requested_at(tx: Transaction, user_ref: int) -> datetime | None:
    """When the user asked for the deletion; None when they did not."""
    return await store.requested_at(tx, user_ref)


async def request_deletion(
    tx: Transaction, sealer: Sealer, caller: Caller, brand: BrandSettings, user_ref: int
) -> None:
    """Idempotent: a second request changes and mails nothing. The mail to the brand names the user by ref only, so that
    no personal data is left in it when the user is erased."""
    if not is_offered(brand):
        raise DeletionNotOffered
    if not await store.set_requested(tx, user_ref, clock.now()):
        return
    facts = {"to": brand.support_email, "userRef": str(user_ref)}
    mails = [
        Mail(kind=DELETION_REQUESTED, user_ref=None, facts=facts),
        Mail(kind=DELETION_RECEIVED, user_ref=user_ref),
    ]
    await mail.put(tx, sealer, brand.brand_ref, mails)
    await audit.record_by(tx, caller, "request deletion", "user", user_ref)
