"""The job that mails password reset links: it looks accounts up, so that response times do not reveal them."""

from collections.abc import Sequence

import msgspec

from sitewright.accounts.mailed_links.limits import HOUR, MAILS_AN_HOUR
from sitewright.accounts.mailed_links.mails import PASSWORD_RESET
from sitewright.accounts.users import service as users
from sitewright.accounts.users.service import Account, User
from sitewright.accounts.users.tokens import RESET_TOKEN
from sitewright.kit import audit, clock, mail, tokens
from sitewright.kit.db import Transaction
from sitewright.kit.jobs import JobKind
from sitewright.kit.links import with_parameter
from sitewright.kit.mail import Mail
from sitewright.kit.resources import Resources
from sitewright.kit.sealing import Sealer
from sitewright.kit.text import key_of

NAME = "mailed-links.forgotten-password"


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """A client's request for a reset link, and the client."""

    brand_ref: int | None
    """None: the account holder did not say whose they are; accounts are found by username in any brand."""
    reseller_ref: int | None
    username: str | None
    email: str | None
    login_link: str
    actor: str
    request_id: str | None
    matches_either: bool = False
    """One input that may be a username or an e-mail address: accounts that match either one are mailed."""


class SealedRequest(msgspec.Struct, frozen=True):
    """Encrypted, since the queue and its log must not contain personal data."""

    sealed: bytes


def seal(sealer: Sealer, request: Request) -> SealedRequest:
    return SealedRequest(sealer.seal(msgspec.json.encode(request), NAME))


async def _mail_reset_links(job: SealedRequest, resources: Resources) -> None:
    """One mail for each account found, to the address stored for that account, with only that account's link.

    A folded address finds accounts, but the mail goes to the stored address. If the job runs twice, it mails twice, but
    never beyond the rate limit.
    """
    request = msgspec.json.decode(resources.sealer.unseal(job.sealed, NAME), type=Request)
    for brand_ref in await _brands(resources, request):
        async with resources.database.transaction(brand_ref) as tx:
            accounts = await _within_limit(tx, await _accounts(tx, request))
            mails = [
                await reset_mail(tx, account, request.login_link, actor=request.actor, request_id=request.request_id)
                for account in accounts
            ]
            await mail.put(tx, resources.sealer, brand_ref, mails)


FORGOTTEN_PASSWORD = JobKind(NAME, SealedRequest, _mail_reset_links)


async def _brands(resources: Resources, request: Request) -> list[int]:
    if request.brand_ref is not None:
        return [request.brand_ref]
    async with resources.database.connection() as connection:
        found = await users.list_log_in_candidates(connection, request.username or "", None)
    return sorted({each.brand_ref for each in found})


async def _accounts(tx: Transaction, request: Request) -> list[Account]:
    """The accounts that match both username and e-mail address, as far as given; or either one."""
    if request.matches_either:
        by_email = await users.lock_accounts_by_email(tx, request.email or "", request.reseller_ref)
        named = await users.lock_accounts_by_username(tx, request.username or "", request.reseller_ref)
        return list({each.ref: each for each in [*by_email, *named]}.values())
    if request.username is None:
        return await users.lock_accounts_by_email(tx, request.email or "", request.reseller_ref)
    found = await users.lock_accounts_by_username(tx, request.username, request.reseller_ref)
    email_key = None if request.email is None else key_of(request.email)
    return [each for each in found if email_key in (None, each.email_key)]


async def _within_limit(tx: Transaction, accounts: Sequence[Account]) -> list[Account]:
    issued = await tokens.issued_since(tx, RESET_TOKEN, [each.ref for each in accounts], clock.now() - HOUR)
    return [each for each in accounts if issued.get(each.ref, 0) < MAILS_AN_HOUR]


async def reset_mail(
    tx: Transaction, account: Account | User, login_link: str, *, actor: str, request_id: str | None
) -> Mail:
    """A new link to set the password. The account's row is locked."""
    secret = await tokens.issue(tx, RESET_TOKEN, account.brand_ref, account.ref)
    await audit.record(
        tx,
        actor=actor,
        action="mail reset link",
        subject="user",
        ref=account.ref,
        brand_ref=account.brand_ref,
        request_id=request_id,
    )
    link = {"username": account.username, "url": with_parameter(login_link, "h", secret)}
    return Mail(kind=PASSWORD_RESET, user_ref=account.ref, facts={"to": account.email, "links": [link]})
