"""The worker's half of a forgotten password: here, where no caller waits, it turns out whether there is an account."""

from collections.abc import Sequence
from datetime import timedelta

import msgspec

from sitewright.kit import audit, clock, mail, tokens
from sitewright.kit.db import Transaction
from sitewright.kit.jobs import JobKind
from sitewright.kit.links import with_parameter
from sitewright.kit.mail import Mail
from sitewright.kit.resources import Resources
from sitewright.kit.sealing import Sealer
from sitewright.kit.text import key_of
from sitewright.kit.tokens.store import issued_since
from sitewright.mailed_links import store
from sitewright.mailed_links.store import Account

MAILS_AN_HOUR = 5
HOUR = timedelta(hours=1)
NAME = "mailed-links.forgotten-password"


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What a caller asked for, and who it is."""

    brand_ref: int
    reseller_ref: int | None
    username: str | None
    email: str | None
    login_link: str
    actor: str
    request_id: str | None


class SealedRequest(msgspec.Struct, frozen=True):
    """The queue and its log hold no personal data."""

    sealed: bytes


def seal(sealer: Sealer, request: Request) -> SealedRequest:
    return SealedRequest(sealer.seal(msgspec.json.encode(request), NAME))


async def _mail_reset_links(job: SealedRequest, resources: Resources) -> None:
    """One mail, and one token for each account it names. Run twice it mails twice, but never beyond the limit."""
    request = msgspec.json.decode(resources.sealer.unseal(job.sealed, NAME), type=Request)
    async with resources.database.transaction(request.brand_ref) as tx:
        accounts = await _within_limit(tx, await _accounts(tx, request))
        if not accounts:
            return
        links = [{"username": each.username, "url": await _link(tx, request, each)} for each in accounts]
        facts = {"to": accounts[0].email, "links": links}
        letter = Mail(kind="passwordReset", user_ref=accounts[0].ref, facts=facts)
        await mail.put(tx, resources.sealer, request.brand_ref, [letter])


FORGOTTEN_PASSWORD = JobKind(NAME, SealedRequest, _mail_reset_links)


async def _accounts(tx: Transaction, request: Request) -> list[Account]:
    """Those that every name given fits."""
    email_key = None if request.email is None else key_of(request.email)
    if request.username is None:
        return await store.accounts_by_email(tx, email_key or "", request.reseller_ref)
    found = await store.accounts_by_username(tx, key_of(request.username), request.reseller_ref)
    return [each for each in found if email_key in (None, each.email_key)]


async def _within_limit(tx: Transaction, accounts: Sequence[Account]) -> list[Account]:
    issued = await issued_since(tx, "reset", [each.ref for each in accounts], clock.now() - HOUR)
    return [each for each in accounts if issued.get(each.ref, 0) < MAILS_AN_HOUR]


async def _link(tx: Transaction, request: Request, account: Account) -> str:
    secret = await tokens.issue(tx, "reset", request.brand_ref, account.ref)
    await audit.record(
        tx,
        actor=request.actor,
        action="mail reset link",
        subject="user",
        ref=account.ref,
        brand_ref=request.brand_ref,
        request_id=request.request_id,
    )
    return with_parameter(request.login_link, "h", secret)
