"""A new e-mail address of an account holder: it replaces the old one when the link that is mailed to it is used.

The link carries the address, and its token is bound to it, so that nothing is stored about an address that is never
verified.
"""

from sitewright.accounts.mailed_links.limits import check_limit
from sitewright.accounts.mailed_links.mails import EMAIL_CHANGE
from sitewright.accounts.users import service as users
from sitewright.accounts.users.service import User
from sitewright.accounts.users.tokens import EMAIL_CHANGE_TOKEN
from sitewright.kit import audit, mail, tokens
from sitewright.kit.addresses import is_address
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.links import with_parameter
from sitewright.kit.mail import Mail
from sitewright.kit.problems import Invalid
from sitewright.kit.sealing import Sealer

MAX_EMAIL = 254


async def request_email_change(
    tx: Transaction, sealer: Sealer, caller: Caller, user: User, email: str, url: str
) -> None:
    """Mail a link to the new address. `user` is locked, so that the rate limit is exact."""
    if len(email) > MAX_EMAIL or not is_address(email):
        message = "must be an e-mail address, with at most 64 characters before the @"
        raise Invalid.fields({"email": {"invalidEmail": message}})
    if email == user.email:
        raise Invalid.fields({"email": {"sameEmail": "is the present address"}})
    await check_limit(tx, EMAIL_CHANGE_TOKEN, user.ref)
    secret = await tokens.issue(tx, EMAIL_CHANGE_TOKEN, user.brand_ref, user.ref, bound_to=email)
    link = with_parameter(with_parameter(url, "email", email), "token", secret)
    mails = [Mail(kind=EMAIL_CHANGE, user_ref=user.ref, facts={"to": email, "url": link})]
    await mail.put(tx, sealer, user.brand_ref, mails)
    await audit.record_by(tx, caller, "request email change", "user", user.ref)


async def confirm_email_change(tx: Transaction, sealer: Sealer, caller: Caller, email: str, secret: str) -> bool:
    """Use the mailed link, once. False: it is unknown, used, expired or for another address."""
    found = await tokens.find(tx, EMAIL_CHANGE_TOKEN, secret, bound_to=email)
    account = None if found is None else await users.lock_account(tx, found.user_ref, None)
    if account is None:
        return False
    if await tokens.claim(tx, EMAIL_CHANGE_TOKEN, secret, account.ref, bound_to=email) is None:
        return False
    user = await users.find_user(tx, caller, account.ref, lock=True)
    if user.suspended:
        return False
    await users.set_verified_email(tx, sealer, caller, user, email)
    return True
