"""Events about packages, trials and charges: what every written change of an account package is reported as."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Final

from sitewright.accounts.account_packages.lifecycle import Change, Kind
from sitewright.accounts.account_packages.store import VoidedCharge, WrittenChange
from sitewright.events import service as events
from sitewright.events.kinds import INSTANT, AccountHolderRef, Event, EventBody, EventKind, HolderField
from sitewright.kit.db import Transaction
from sitewright.kit.http.about import about
from sitewright.kit.timestamps import iso_utc

REGISTRATION_FAILED: Final = "registrationFailed"


class PackageBody(EventBody, frozen=True, kw_only=True, rename="camel"):
    """A change of an account holder's packages."""

    account_holder: HolderField
    change: Annotated[
        str,
        about(f"What kind of change it is, as in billing reports: {', '.join(Kind)}.", "subscription"),
    ]
    is_subscription: Annotated[bool, about("False for an add-on, such as the package of a domain.", True)]
    account_package_ref: Annotated[int | None, about("What the account holder has from now on; null for none.", 12)]
    package_ref: Annotated[int | None, about("Its package.", 3)]
    from_account_package_ref: Annotated[int | None, about("What has ended; null for none.", 11)]
    from_package_ref: Annotated[int | None, about("Its package.", 1)]
    billing_period_months: Annotated[int | None, about("How long a period is.", 12)]
    ends_at: Annotated[str | None, about("When the period or the trial ends; null without an end.", INSTANT)]
    reason: Annotated[
        str | None,
        about(
            "Why it ended: `trialEnded`, `expired`, `userDeleted` or `registrationFailed`; null for a request.", None
        ),
    ]


class ChargeBody(EventBody, frozen=True, kw_only=True, rename="camel"):
    """A charge of an account holder."""

    account_holder: HolderField
    charge_ref: Annotated[int, about("The charge's number.", 8)]
    package_ref: Annotated[int | None, about("What it is for.", 3)]
    account_package_ref: Annotated[int | None, about("The account package that it is for.", 12)]
    amount: Annotated[str, about("The amount, a decimal number as text.", "96.00")]
    currency_code: Annotated[str, about("ISO 4217.", "EUR")]


class ChargeCreatedBody(ChargeBody, frozen=True, kw_only=True, rename="camel"):
    """A new charge."""

    billing_period_months: Annotated[int | None, about("How long the period is.", 12)]
    period_starts_at: Annotated[str, about("When the period starts that it pays for.", INSTANT)]
    period_ends_at: Annotated[str, about("When that period ends.", "2027-01-31T12:00:00Z")]


class ChargeVoidedBody(ChargeBody, frozen=True, kw_only=True, rename="camel"):
    """A charge that need not be paid."""

    user_ref: Annotated[int, about("The same as in `accountHolder`.", 41)]
    reason: Annotated[
        str, about("Always `registrationFailed`: what it was for could not be delivered.", REGISTRATION_FAILED)
    ]


PACKAGE_STARTED = EventKind(
    name="package.started",
    summary="An account holder got a package that replaces none: the default package, or an add-on.",
    body=PackageBody,
)
PACKAGE_CHANGED = EventKind(
    name="package.changed", summary="An account holder's package was replaced by another one.", body=PackageBody
)
PACKAGE_RENEWED = EventKind(
    name="package.renewed", summary="Another period of an account holder's package began.", body=PackageBody
)
PACKAGE_CANCELLED = EventKind(
    name="package.cancelled",
    summary="An account holder's package ended; after a subscription follows the default package, if there is one.",
    body=PackageBody,
)
TRIAL_STARTED = EventKind(name="trial.started", summary="An account holder's trial began.", body=PackageBody)
TRIAL_ENDED = EventKind(
    name="trial.ended",
    summary="An account holder's trial ended: its time is over, or another package replaced it.",
    body=PackageBody,
)
CHARGE_CREATED = EventKind(name="charge.created", summary="An account holder has to pay.", body=ChargeCreatedBody)
CHARGE_VOIDED = EventKind(
    name="charge.voided", summary="A charge is void: the account holder need not pay it.", body=ChargeVoidedBody
)
KINDS = (
    PACKAGE_STARTED,
    PACKAGE_CHANGED,
    PACKAGE_RENEWED,
    PACKAGE_CANCELLED,
    TRIAL_STARTED,
    TRIAL_ENDED,
    CHARGE_CREATED,
    CHARGE_VOIDED,
)


async def emit_changes(tx: Transaction, written: Sequence[WrittenChange], currency_codes: Mapping[int, str]) -> None:
    """One statement for all events of these changes."""
    await events.emit_many(tx, events_of(written, currency_codes))


def events_of(written: Sequence[WrittenChange], currency_codes: Mapping[int, str]) -> list[Event]:
    return [event for each in written for event in _events_of(each, currency_codes)]


async def emit_voided(
    tx: Transaction, charges: Sequence[VoidedCharge], user_ref: int, account_package_ref: int, at: datetime
) -> None:
    bodies = [
        ChargeVoidedBody(
            account_holder=AccountHolderRef(user_ref),
            charge_ref=charge.ref,
            package_ref=charge.package_ref,
            account_package_ref=account_package_ref,
            amount=f"{charge.amount:.2f}",
            currency_code=charge.currency_code,
            user_ref=user_ref,
            reason=REGISTRATION_FAILED,
        )
        for charge in charges
    ]
    await events.emit_many(tx, [CHARGE_VOIDED.event(body, at) for body in bodies])


def _events_of(written: WrittenChange, currency_codes: Mapping[int, str]) -> Iterator[Event]:
    kinds = _kinds_of(written.change)
    if kinds:
        body = _package_body(written)
        for kind in kinds:
            yield kind.event(body, written.change.at)
    if written.charge_ref is not None:
        yield CHARGE_CREATED.event(_charge_body(written, written.charge_ref, currency_codes), written.change.at)


def _kinds_of(change: Change) -> list[EventKind]:
    """A trial that another package replaces has two. A registration without a package has none."""
    ends_trial = change.ended is not None and change.ended.is_trial
    if ends_trial and change.kind is Kind.CANCELLATION:
        return [TRIAL_ENDED]
    follows = _kind_of(change)
    return [TRIAL_ENDED, *follows] if ends_trial else follows


def _kind_of(change: Change) -> list[EventKind]:
    if change.kind is Kind.CANCELLATION:
        return [PACKAGE_CANCELLED]
    if change.kind is Kind.RENEWAL:
        return [PACKAGE_RENEWED]
    if change.started is None:
        return []
    if change.started.is_trial:
        return [TRIAL_STARTED]
    return [PACKAGE_STARTED if change.ended is None else PACKAGE_CHANGED]


def _package_body(written: WrittenChange) -> PackageBody:
    change, ended = written.change, written.change.ended
    ends_at = change.renewed_until if change.started is None else change.started.due_at
    return PackageBody(
        account_holder=AccountHolderRef(change.user_ref),
        change=change.kind.value,
        is_subscription=_is_subscription(change),
        account_package_ref=None if change.package_ref is None else written.account_package_ref,
        package_ref=change.package_ref,
        from_account_package_ref=None if ended is None else ended.ref,
        from_package_ref=None if ended is None else ended.package_ref,
        billing_period_months=change.months,
        ends_at=None if ends_at is None else iso_utc(ends_at),
        reason=change.reason,
    )


def _is_subscription(change: Change) -> bool:
    if change.started is not None:
        return change.started.terms.is_subscription
    held = change.renewed or change.ended
    return held is not None and held.is_subscription


def _charge_body(written: WrittenChange, charge_ref: int, currency_codes: Mapping[int, str]) -> ChargeCreatedBody:
    change, charge = written.change, written.change.charge
    assert charge is not None  # noqa: S101 - it has a ref
    return ChargeCreatedBody(
        account_holder=AccountHolderRef(change.user_ref),
        charge_ref=charge_ref,
        package_ref=change.package_ref,
        account_package_ref=written.account_package_ref,
        amount=f"{charge.amount:.2f}",
        currency_code=currency_codes[charge.currency_ref],
        billing_period_months=change.months,
        period_starts_at=iso_utc(charge.period_starts_at),
        period_ends_at=iso_utc(charge.period_ends_at),
    )
