"""Changes as columns, which are the parameters of the statements that write them (`store.write_changes`)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from sitewright.accounts.account_packages.lifecycle import Change, Charge, Held, Started
from sitewright.kit.arrays import array_text

ChargeToWrite = tuple[Change, Charge, int, int | None]
"""With the ref of its event and of its account package."""


class Columns(msgspec.Struct, frozen=True):
    """Everything that is known before the first statement, so that a sweep can prepare it while others write."""

    ending: list[str]
    renewals: list[str]
    starting: list[Any]
    """The long columns, then those of the different terms."""
    events: list[str]
    """The users and the times."""
    event_terms: list[Any]
    """The number of each one's terms, then the columns of the different terms."""


def columns_of(changes: Sequence[Change]) -> Columns:
    event_terms = _numbered(
        (change.kind.value, change.reason, change.from_package_ref, change.package_ref, change.months)
        for change in changes
    )
    return Columns(
        ending=_texts((change.user_ref, change.ended.ref, change.at) for change in changes if change.ended is not None),
        renewals=_texts(_renewal(change, change.renewed) for change in changes if change.renewed is not None),
        starting=_starting([(change, change.started) for change in changes if change.started is not None]),
        events=_texts((change.user_ref, change.at) for change in changes),
        event_terms=event_terms,
    )


def columns_of_charges(charges: Sequence[ChargeToWrite]) -> list[str]:
    return _texts(
        (
            change.user_ref,
            event_ref,
            account_package_ref,
            change.package_ref,
            charge.currency_ref,
            charge.amount,
            change.months,
            charge.period_starts_at,
            charge.period_ends_at,
            change.at,
        )
        for change, charge, event_ref, account_package_ref in charges
    )


def _renewal(change: Change, held: Held) -> tuple[Any, ...]:
    charge = change.charge
    amount, currency_ref = (None, None) if charge is None else (charge.amount, charge.currency_ref)
    return change.user_ref, held.ref, change.renewed_until, amount, currency_ref


def _starting(starting: Sequence[tuple[Change, Started]]) -> list[Any]:
    numbered = _numbered(
        (
            started.terms.package_ref,
            started.terms.is_subscription,
            started.is_trial,
            change.months,
            started.price,
            started.currency_ref,
            started.delete_on_expiry,
            started.due_at,
            started.remind_at,
            started.free_of_charge,
        )
        for change, started in starting
    )
    return [*_texts((change.user_ref, change.at) for change, _ in starting), *numbered]


def _numbered(terms: Iterable[tuple[Any, ...]]) -> list[Any]:
    """The number of each one's terms, and the columns of the different terms in the order of their numbers."""
    numbers: dict[tuple[Any, ...], int] = {}
    of_each = [numbers.setdefault(each, len(numbers) + 1) for each in terms]
    return [array_text(of_each), *_columns(numbers)]


def _texts(rows: Iterable[tuple[Any, ...]]) -> list[str]:
    """No columns without rows."""
    return [array_text(column) for column in _columns(rows)]


def _columns(rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    return zip(*rows, strict=True)
