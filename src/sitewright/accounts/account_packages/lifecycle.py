"""The states of an account holder's package and the transitions between them, without a database.

    nothing ── registration ──> free                          (the brand's default package counts as free)
    free    ── trialRegistration ──> trial ── cancellation (trialEnded) ──> default
    free, trial ── subscription ──> paid ── renewal ──> paid
    paid    ── upgrade, downgrade ──> paid
    paid, trial ── cancellation ──> free
    free    ── change ──> free

A transition ends one account package and starts another at the same instant; a renewal at the end of a period extends
the existing one. Each is one lifecycle event and, where money is due, one charge. Add-ons (packages that are no
subscription, such as domains) start and end independently of the subscription.
"""

from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Literal

import msgspec

from sitewright.accounts.account_packages import periods
from sitewright.accounts.account_packages.hooks import AddOnChange, LiveSiteLimit
from sitewright.accounts.account_packages.pricing import Price, is_cheaper


class Kind(StrEnum):
    """Kinds of lifecycle events, as reports name them."""

    REGISTRATION = "registration"
    TRIAL_REGISTRATION = "trialRegistration"
    SUBSCRIPTION = "subscription"
    UPGRADE = "upgrade"
    DOWNGRADE = "downgrade"
    CANCELLATION = "cancellation"
    RENEWAL = "renewal"
    CHANGE = "change"


class BillingStatus(StrEnum):
    FREE = "free"
    TRIAL = "trial"
    PAID = "paid"


Reason = Literal["trialEnded", "expired", "userDeleted", "registrationFailed"]


class Terms(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A package as it would be assigned to one account holder."""

    package_ref: int
    name: str
    is_subscription: bool
    trial_days: int
    live_sites: int
    price: Price
    is_default: bool = False
    delete_on_expiry: bool = False
    has_period: bool = False
    """Whether it lasts for its months even where it costs nothing, as the registration of a domain does."""
    free_of_charge: bool = False
    """Whether it costs nothing because the account holder's subscription includes it."""
    domain: str | None = None
    """The domain that it registers, for mails."""

    @property
    def billing_status(self) -> BillingStatus:
        if self.is_default:
            return BillingStatus.FREE
        if self.trial_days:
            return BillingStatus.TRIAL
        return BillingStatus.FREE if self.price.is_free else BillingStatus.PAID


class Held(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """An account package that has not ended."""

    ref: int
    user_ref: int
    package_ref: int
    name: str
    is_subscription: bool
    is_trial: bool
    price: Price
    """The price of the current period."""
    is_default: bool
    delete_on_expiry: bool
    started_at: datetime
    periods: int
    due_at: datetime | None
    domain: str | None = None
    """The domain that it registers, for mails."""

    @property
    def billing_status(self) -> BillingStatus:
        if self.is_trial:
            return BillingStatus.TRIAL
        return BillingStatus.FREE if self.is_default or self.price.is_free else BillingStatus.PAID


class Started(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """An account package that begins."""

    terms: Terms
    is_trial: bool
    price: Decimal
    currency_ref: int | None
    delete_on_expiry: bool
    due_at: datetime | None
    remind_at: datetime | None
    free_of_charge: bool = False


class Charge(msgspec.Struct, frozen=True, gc=False):
    amount: Decimal
    currency_ref: int
    period_starts_at: datetime
    period_ends_at: datetime


class Change(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One transition: everything that is written for it, in one transaction."""

    user_ref: int
    kind: Kind
    at: datetime
    reason: Reason | None = None
    ended: Held | None = None
    started: Started | None = None
    renewed: Held | None = None
    renewed_until: datetime | None = None
    charge: Charge | None = None
    months: int | None = None

    @property
    def from_package_ref(self) -> int | None:
        before = self.ended or self.renewed
        return None if before is None else before.package_ref

    @property
    def package_ref(self) -> int | None:
        """The package that the account holder has afterwards."""
        if self.started is not None:
            return self.started.terms.package_ref
        return None if self.renewed is None else self.renewed.package_ref

    @property
    def domain(self) -> str | None:
        """The domain that was ordered or renewed, or has ended."""
        if self.started is not None and self.started.terms.domain is not None:
            return self.started.terms.domain
        held = self.renewed or self.ended
        return None if held is None else held.domain

    @property
    def live_site_limit(self) -> LiveSiteLimit | None:
        """The new limit of live sites, if the change may lower it."""
        ends_subscription = self.ended is not None and self.ended.is_subscription
        if not ends_subscription or self.kind is Kind.RENEWAL:
            return None
        keep = 0 if self.kind is Kind.CANCELLATION or self.started is None else self.started.terms.live_sites
        return LiveSiteLimit(self.user_ref, keep)

    @property
    def begins_subscription(self) -> bool:
        return self.started is not None and self.started.terms.is_subscription and self.kind is not Kind.RENEWAL

    @property
    def add_on(self) -> AddOnChange | None:
        """The change of an add-on (a package that is not the subscription), if it is one."""
        held = self.ended or self.renewed
        if held is None or held.is_subscription:
            return None
        return AddOnChange(
            user_ref=self.user_ref,
            package_ref=held.package_ref,
            account_package_ref=held.ref,
            at=self.at,
            renewed_until=self.renewed_until,
            is_replaced=self.started is not None,
        )


def classify(before: Held | None, before_price: Price | None, terms: Terms, rates: dict[int, Decimal]) -> Kind:
    """The kind of event when `terms` replaces `before`. `before_price`: the current list price of `before`."""
    if terms.billing_status is BillingStatus.TRIAL:
        return Kind.TRIAL_REGISTRATION
    if before is not None and before.package_ref == terms.package_ref:
        return Kind.RENEWAL
    was = BillingStatus.FREE if before is None else before.billing_status
    if terms.billing_status is BillingStatus.FREE:
        return Kind.CHANGE if was is BillingStatus.FREE else Kind.CANCELLATION
    if was is not BillingStatus.PAID or before_price is None:
        return Kind.SUBSCRIPTION
    return Kind.DOWNGRADE if is_cheaper(terms.price, before_price, rates) else Kind.UPGRADE


def assign(
    user_ref: int,
    before: Held | None,
    terms: Terms,
    kind: Kind,
    at: datetime,
    zone: str,
    reason: Reason | None = None,
) -> Change:
    """Replaces `before` by `terms` from now on; a paid package is charged at once."""
    started = _started(terms, at, zone)
    charge = None
    if started.due_at is not None and started.currency_ref is not None and started.price > 0:
        charge = Charge(started.price, started.currency_ref, at, started.due_at)
    return Change(
        user_ref=user_ref,
        kind=kind,
        at=at,
        reason=reason,
        ended=before,
        started=started,
        charge=charge,
        months=terms.price.months,
    )


def _started(terms: Terms, at: datetime, zone: str) -> Started:
    billing_status = terms.billing_status
    is_trial, is_paid = billing_status is BillingStatus.TRIAL, billing_status is BillingStatus.PAID
    renews = is_paid or terms.has_period
    due_at = None
    if is_trial:
        due_at = periods.trial_end(at, terms.trial_days)
    elif renews:
        due_at = periods.months_after(at, terms.price.months, zone)
    return Started(
        terms=terms,
        is_trial=is_trial,
        price=terms.price.amount if is_paid else Decimal(0),
        currency_ref=terms.price.currency_ref if is_paid else None,
        delete_on_expiry=is_trial or (renews and terms.delete_on_expiry),
        due_at=due_at,
        remind_at=periods.reminder_of(at, due_at) if is_trial and due_at is not None else None,
        free_of_charge=terms.free_of_charge,
    )


def expire(held: Held, default: Terms | None, zone: str, reason: Reason) -> Change:
    """A trial, or a package that does not renew, ends; a subscription is replaced by the default package."""
    assert held.due_at is not None  # noqa: S101 - callers pass only packages with a due time
    if default is not None and held.is_subscription:
        return assign(held.user_ref, held, default, Kind.CANCELLATION, held.due_at, zone, reason)
    return Change(user_ref=held.user_ref, kind=Kind.CANCELLATION, at=held.due_at, reason=reason, ended=held)


def renew(held: Held, price: Price, zone: str) -> Change:
    """The next period, which begins when the last one ended."""
    assert held.due_at is not None  # noqa: S101 - callers pass only packages with a due time
    until = periods.months_after(held.started_at, held.price.months * (held.periods + 1), zone)
    charge = None
    if price.amount > 0 and price.currency_ref is not None:
        charge = Charge(price.amount, price.currency_ref, held.due_at, until)
    return Change(
        user_ref=held.user_ref,
        kind=Kind.RENEWAL,
        at=held.due_at,
        renewed=held,
        renewed_until=until,
        charge=charge,
        months=held.price.months,
    )
