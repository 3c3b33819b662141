"""The effects of package changes: mails to account holders, sites that go offline, add-ons that are renewed or end."""

from collections.abc import Collection, Sequence
from typing import Any

import msgspec

from sitewright.accounts.account_packages import mails
from sitewright.accounts.account_packages.hooks import (
    AddOnChange,
    LiveSiteLimit,
    add_ons_changed,
    live_sites_limited,
    subscriptions_begun,
)
from sitewright.accounts.account_packages.lifecycle import Change, Kind
from sitewright.kit import mail
from sitewright.kit.db import Transaction
from sitewright.kit.hosts import decode_domain
from sitewright.kit.mail_kinds import MailKind
from sitewright.kit.sealing import Sealer


class Effects(msgspec.Struct, frozen=True):
    mails: mail.SealedMails
    live_site_limits: list[LiveSiteLimit]
    add_ons: list[AddOnChange]
    subscribers: list[int]
    """Users whose subscription is another one now."""


def effects_of(
    sealer: Sealer,
    brand_ref: int,
    changes: Sequence[Change],
    currency_codes: dict[int, str],
    *,
    unmailed: Collection[int] = (),
) -> Effects:
    """`unmailed`: users who get no mail, since they are deleted or anonymized."""
    mails = [mail_of(change, currency_codes) for change in changes if change.user_ref not in unmailed]
    limits = [change.live_site_limit for change in changes]
    add_ons = [change.add_on for change in changes]
    return Effects(
        mail.seal(sealer, brand_ref, [each for each in mails if each is not None]),
        [each for each in limits if each is not None],
        [each for each in add_ons if each is not None],
        [change.user_ref for change in changes if change.begins_subscription],
    )


async def apply_effects(tx: Transaction, effects: Effects) -> None:
    """Enqueues the mails and notifies the lifecycle hooks, in the transaction of the changes."""
    await mail.put_sealed(tx, effects.mails)
    if effects.live_site_limits:
        await live_sites_limited.notify(tx, effects.live_site_limits)
    if effects.add_ons:
        await add_ons_changed.notify(tx, effects.add_ons)
    if effects.subscribers:
        await subscriptions_begun.notify(tx, effects.subscribers)


MAILS: dict[Kind, MailKind] = {
    Kind.SUBSCRIPTION: mails.SUBSCRIBED,
    Kind.UPGRADE: mails.UPGRADED,
    Kind.DOWNGRADE: mails.DOWNGRADED,
    Kind.CANCELLATION: mails.CANCELLED,
    Kind.RENEWAL: mails.RENEWED,
}
DOMAIN_MAILS: dict[Kind, MailKind] = {
    Kind.SUBSCRIPTION: mails.DOMAIN_ORDERED,
    Kind.CANCELLATION: mails.DOMAIN_ENDED,
    Kind.RENEWAL: mails.DOMAIN_RENEWED,
}
"""Mails about the package of a domain: they name the domain."""
BY_REASON: dict[str | None, MailKind] = {"trialEnded": mails.TRIAL_ENDED, "registrationFailed": mails.DOMAIN_FAILED}
"""Cancellations that have a mail of their own."""


def mail_of(change: Change, currency_codes: dict[int, str]) -> mail.Mail | None:
    """The mail to the account holder about it, if any."""
    kind = (MAILS if change.domain is None else DOMAIN_MAILS).get(change.kind)
    if kind is None or (change.kind is Kind.RENEWAL and change.charge is None):
        return None
    if change.kind is Kind.CANCELLATION:
        was = change.ended
        facts: dict[str, Any] = {"package": was.name if was else "", "endsAt": change.at}
        if was is not None and not was.is_subscription:
            facts["beside"] = "yes"  # an add-on: no website goes offline. Outboxes and templates use this name
        facts |= _domain(change)
        return mail.Mail(kind=BY_REASON.get(change.reason, kind), user_ref=change.user_ref, facts=facts)
    return mail.Mail(kind=kind, user_ref=change.user_ref, facts=_money(change, currency_codes))


def _money(change: Change, currency_codes: dict[int, str]) -> dict[str, Any]:
    charge = change.charge
    name = change.started.terms.name if change.started else change.renewed.name if change.renewed else ""
    return {
        "package": name,
        **_domain(change),
        "amount": None if charge is None else str(charge.amount),
        "currency": None if charge is None else currency_codes[charge.currency_ref],
        "months": change.months,
        "nextAt": None if charge is None else charge.period_ends_at,
    }


def _domain(change: Change) -> dict[str, str]:
    return {} if change.domain is None else {"domain": decode_domain(change.domain)}
