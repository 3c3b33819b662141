import math

from sitewright.accounts.mailed_links.errors import TooManyMails
from sitewright.accounts.mailed_links.jobs import FORGOTTEN_PASSWORD, HOUR, MAILS_AN_HOUR, Request, seal
from sitewright.accounts.mailed_links.mails import EMAIL_VERIFICATION
from sitewright.accounts.users import service as users
from sitewright.accounts.users.errors import Anonymized
from sitewright.accounts.users.service import User
from sitewright.accounts.users.tokens import RESET_TOKEN, VERIFICATION_TOKEN
from sitewright.kit import audit, clock, mail, tokens
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.links import with_parameter
from sitewright.kit.mail import Mail
from sitewright.kit.problems import Invalid
from sitewright.kit.sealing import Sealer


async def request_password_reset(tx: Transaction, sealer: Sealer, request: Request) -> None:
    """Enqueues the look-up of the account, so that the response does not reveal whether there is one."""
    await FORGOTTEN_PASSWORD.enqueue(tx, seal(sealer, request))


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
    await _check_limit(tx, user.ref)
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


async def _check_limit(tx: Transaction, user_ref: int) -> None:
    now = clock.now()
    issued = await tokens.nth_newest(tx, VERIFICATION_TOKEN, user_ref, MAILS_AN_HOUR, now - HOUR)
    if issued is not None:
        wait = math.ceil((issued + HOUR - now).total_seconds())
        raise TooManyMails(headers={"Retry-After": str(max(1, wait))})
