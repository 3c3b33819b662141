from sitewright.accounts.mailed_links.email_change import confirm_email_change, request_email_change
from sitewright.accounts.mailed_links.jobs import FORGOTTEN_PASSWORD, Request, reset_mail, seal
from sitewright.accounts.mailed_links.limits import check_limit
from sitewright.accounts.mailed_links.mails import EMAIL_VERIFICATION
from sitewright.accounts.users import service as users
from sitewright.accounts.users.errors import Anonymized, UserSuspended
from sitewright.accounts.users.service import User
from sitewright.accounts.users.tokens import RESET_TOKEN, VERIFICATION_TOKEN
from sitewright.kit import audit, clock, mail, tokens
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.links import with_parameter
from sitewright.kit.mail import Mail
from sitewright.kit.problems import Invalid
from sitewright.kit.sealing import Sealer

__all__ = [
    "Request",
    "confirm_email_change",
    "find_verification",
    "invalid_hash",
    "is_reset_usable",
    "mail_password_reset",
    "request_email_change",
    "request_password_reset",
    "reset_password",
    "send_verification_email",
    "verify_email",
]


async def request_password_reset(tx: Transaction, sealer: Sealer, request: Request) -> None:
    """Enqueues the look-up of the account, so that the response does not reveal whether there is one."""
    await FORGOTTEN_PASSWORD.enqueue(tx, seal(sealer, request))


async def mail_password_reset(tx: Transaction, sealer: Sealer, caller: Caller, user: User, login_link: str) -> None:
    """Mails the link to a user whom staff has in front of them, or says why not. `user` is locked and not deleted."""
    if user.anonymized:
        raise Anonymized
    if user.suspended:
        raise UserSuspended
    await check_limit(tx, RESET_TOKEN, user.ref)
    mailed = await reset_mail(tx, user, login_link, actor=caller.name, request_id=caller.request_id)
    await mail.put(tx, sealer, user.brand_ref, [mailed])


async def reset_password(tx: Transaction, sealer: Sealer, caller: Caller, secret: str, password_hash: str) -> None:
    """Sets the password with the hash of a mailed link, which works once."""
    user_ref = await tokens.owner_of(tx, secret)
    account = None if user_ref is None else await users.lock_account(tx, user_ref, caller.reseller_ref)
    if account is None or await tokens.claim(tx, RESET_TOKEN, secret, account.ref) is None:
        raise invalid_hash()
    await users.set_password(tx, sealer, caller, account, password_hash, action="reset password")


async def send_verification_email(tx: Transaction, sealer: Sealer, caller: Caller, user: User, url: str) -> None:
    """`user` is locked, so that the address stays the one the token is for."""
    if user.anonymized:
        raise Anonymized
    await check_limit(tx, VERIFICATION_TOKEN, user.ref)
    secret = await tokens.issue(tx, VERIFICATION_TOKEN, user.brand_ref, user.ref)
    facts = {"to": user.email, "url": with_parameter(url, "token", secret)}
    await mail.put(tx, sealer, user.brand_ref, [Mail(kind=EMAIL_VERIFICATION, user_ref=user.ref, facts=facts)])
    await audit.record_by(tx, caller, "send verification email", "user", user.ref)


async def verify_email(tx: Transaction, caller: Caller, user: User, secret: str) -> None:
    """`user` is locked."""
    if await tokens.claim(tx, VERIFICATION_TOKEN, secret, user.ref) is None:
        message = "is unknown, used, expired or another user's; send a new verification mail"
        raise Invalid.fields({"token": {"invalidToken": message}})
    await users.set_email_verified(tx, user.ref, clock.now())
    await audit.record_by(tx, caller, "verify email", "user", user.ref)


def invalid_hash() -> Invalid:
    return Invalid.fields({"hash": {"invalidHash": "is unknown, used or expired; request a new mail"}})


async def is_reset_usable(tx: Transaction, secret: str) -> bool:
    """Whether a mailed link still sets a password, without using it."""
    found = await tokens.find(tx, RESET_TOKEN, secret)
    return found is not None and found.is_usable


async def find_verification(tx: Transaction, secret: str) -> int | None:
    """The user whose address a mailed link verifies, without using it."""
    found = await tokens.find(tx, VERIFICATION_TOKEN, secret)
    return found.user_ref if found is not None and found.is_usable else None
