"""Changes on their way to the database: what is the same in all of them is sent once, and no row is lost for it."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

from sitewright.accounts.account_packages.lifecycle import Change, Charge, Held, Kind, Started, Terms
from sitewright.accounts.account_packages.pricing import Price
from sitewright.accounts.account_packages.store import Columns, Needs, columns_of

DUE = datetime(2026, 3, 1, tzinfo=UTC)
FREE = Price(Decimal(0), None, 1)
DEFAULT = Terms(
    package_ref=1, name="Free", is_subscription=True, trial_days=0, live_sites=1, price=FREE, is_default=True
)


def ended_trial(user_ref: int, *, at: datetime = DUE) -> Change:
    held = Held(
        ref=user_ref * 10,
        user_ref=user_ref,
        package_ref=2,
        name="Trial",
        is_subscription=True,
        is_trial=True,
        price=FREE,
        is_default=False,
        delete_on_expiry=True,
        started_at=at - timedelta(days=14),
        periods=0,
        due_at=at,
    )
    started = Started(
        terms=DEFAULT,
        is_trial=False,
        price=Decimal(0),
        currency_ref=None,
        delete_on_expiry=False,
        due_at=None,
        remind_at=None,
    )
    return Change(
        user_ref=user_ref, kind=Kind.CANCELLATION, at=at, reason="trialEnded", ended=held, started=started, months=1
    )


def sent(columns: Columns) -> dict[str, object]:
    """The columns that are sent row by row."""
    names = [
        "user_ref", "kind", "at", "reason", "from_package_ref", "package_ref", "months", "ended_ref", "renewed_ref",
        "renewed_until", "started_package_ref", "is_subscription", "is_trial", "price", "currency_ref",
        "delete_on_expiry", "due_at", "remind_at", "free_of_charge", "amount", "charged_currency_ref",
        "period_starts_at", "period_ends_at",
    ]  # fmt: skip
    values = dict(zip(names, columns.values, strict=True))
    return {name: values[name] for name in columns.differing}


def test_trials_that_end_together_differ_in_user_and_package_alone() -> None:
    columns = columns_of([ended_trial(5), ended_trial(6), ended_trial(7)])

    assert sent(columns) == {"user_ref": (5, 6, 7), "ended_ref": (50, 60, 70)}
    assert columns.values[1:6] == ["cancellation", DUE, "trialEnded", 2, 1]
    assert (columns.needs, columns.touched) == (Needs(ended=True, renewed=False, started=True, charged=False), 3)


def test_what_differs_in_one_row_is_sent_of_all() -> None:
    later = DUE + timedelta(seconds=1)

    columns = columns_of([ended_trial(5), ended_trial(6, at=later), ended_trial(7)])

    assert sent(columns)["at"] == (DUE, later, DUE)


def test_what_only_some_have_is_nothing_of_the_others() -> None:
    charge = Charge(Decimal("9.99"), 3, DUE, DUE + timedelta(days=31))
    paid = Change(user_ref=6, kind=Kind.RENEWAL, at=DUE, charge=charge, months=1)

    columns = columns_of([ended_trial(5), paid])

    assert sent(columns)["amount"] == (None, Decimal("9.99"))
    assert columns.needs == Needs(ended=True, renewed=False, started=True, charged=True)


def test_changes_that_are_all_the_same_are_still_as_many() -> None:
    twice = Change(user_ref=5, kind=Kind.REGISTRATION, at=DUE)

    columns = columns_of([twice, twice])

    assert sent(columns) == {"user_ref": (5, 5)}


def test_one_change_is_sent_as_it_is() -> None:
    assert sent(columns_of([ended_trial(5)])) == {"user_ref": (5,)}
