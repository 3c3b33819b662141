"""Events about account domains, without their names: confirmed or refused by the registrar, or ended."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from sitewright.domains.account_domains.store import AccountDomain, EndedDomain
from sitewright.events import service as events
from sitewright.events.kinds import INSTANT, AccountHolderRef, EventBody, EventKind, HolderField
from sitewright.kit.db import Transaction
from sitewright.kit.http.about import about
from sitewright.kit.timestamps import iso_utc


class AccountDomainBody(EventBody, frozen=True, kw_only=True, rename="camel"):
    """What happened to an account domain."""

    account_holder: HolderField
    account_domain_ref: Annotated[int, about("The account domain's number.", 6)]
    account_package_ref: Annotated[int, about("The account package that pays for it.", 12)]


class RegisteredBody(AccountDomainBody, frozen=True, kw_only=True, rename="camel"):
    """An account domain that the registrar has confirmed."""

    expires_at: Annotated[str, about("Until when it is registered.", INSTANT)]


class FailedBody(AccountDomainBody, frozen=True, kw_only=True, rename="camel"):
    """An account domain that the registrar has refused for good."""

    step: Annotated[str, about("What failed: `register`, `renew` or `release`.", "register")]


REGISTERED = EventKind(
    name="accountDomain.registered",
    summary="The registrar has registered an account domain: it is ready.",
    body=RegisteredBody,
)
RENEWED = EventKind(
    name="accountDomain.renewed",
    summary="The registrar has renewed the registration of an account domain.",
    body=RegisteredBody,
)
EXPIRED = EventKind(
    name="accountDomain.expired",
    summary="An account domain has ended: it expired or was deleted.",
    body=AccountDomainBody,
)
FAILED = EventKind(
    name="accountDomain.failed",
    summary="The registrar refuses an account domain, or did not respond to any attempt.",
    body=FailedBody,
)
KINDS = (REGISTERED, RENEWED, EXPIRED, FAILED)


async def emit_confirmed(tx: Transaction, kind: EventKind, domain: AccountDomain, at: datetime) -> None:
    body = RegisteredBody(
        account_holder=AccountHolderRef(domain.user_ref),
        account_domain_ref=domain.ref,
        account_package_ref=domain.account_package_ref,
        expires_at=iso_utc(domain.expires_at),
    )
    await events.emit_many(tx, [kind.event(body, at)])


async def emit_failed(tx: Transaction, domain: AccountDomain, step: str, at: datetime) -> None:
    body = FailedBody(
        account_holder=AccountHolderRef(domain.user_ref),
        account_domain_ref=domain.ref,
        account_package_ref=domain.account_package_ref,
        step=step,
    )
    await events.emit_many(tx, [FAILED.event(body, at)])


async def emit_expired(tx: Transaction, ended: Sequence[EndedDomain], at: datetime) -> None:
    """Without those whose registration failed: that is an event of its own."""
    bodies = [
        AccountDomainBody(
            account_holder=AccountHolderRef(each.user_ref),
            account_domain_ref=each.ref,
            account_package_ref=each.account_package_ref,
        )
        for each in ended
        if not each.has_failed
    ]
    await events.emit_many(tx, [EXPIRED.event(body, at) for body in bodies])
