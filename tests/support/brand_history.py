"""Figures of a brand that grew for two years, as if its customers had made them: for pages that show figures."""

from collections.abc import Iterator
from datetime import date, timedelta
from math import sin

import msgspec

from tests.support.packages import FREE, PRO, STARTER, USD
from tests.support.users import OwnerConnection

DAYS = 730
PRICES = {STARTER: 9, PRO: 19}


class Change(msgspec.Struct, frozen=True):
    """How much a figure changes on a day."""

    day: date
    figure: str
    value: int
    package_ref: int = 0
    currency_ref: int = 0
    months: int = 0


async def add_history(owner: OwnerConnection, brand_ref: int, today: date, days: int = DAYS) -> None:
    """Until today. Visits follow the weekdays, everything else grows with the number of registrations."""
    first = today - timedelta(days=days - 1)
    changes = [change for number in range(days) for change in _changes_of(first + timedelta(days=number), number)]
    await owner.executemany(
        "insert into figure_changes (brand_ref, day, figure, value, package_ref, currency_ref, months)"
        " values ($1, $2, $3, $4, $5, $6, $7)",
        [
            (brand_ref, each.day, each.figure, each.value, each.package_ref, each.currency_ref, each.months)
            for each in changes
            if each.value
        ],
    )


def _changes_of(day: date, number: int) -> Iterator[Change]:
    is_weekend = day.weekday() > 4
    registered = round((14 + number / 24 + 5 * sin(number / 9) + number * 7 % 11) * (0.6 if is_weekend else 1))
    deleted, tried = registered * 2 // 9 + number % 3, registered * 5 // 8
    new = {STARTER: registered * 3 // 20, PRO: registered // 9 + number % 2}
    yield Change(day, "registered", registered)
    yield Change(day, "deleted", deleted)
    yield Change(day, "tried", tried)
    yield Change(day, "paid", sum(new.values()))
    yield Change(day, "free_accounts", registered - deleted - sum(new.values()) - number % 2, FREE)
    yield Change(day, "trial_accounts", (number * 5 % 7 - 3) * 2 + (1 if number % 3 else 2), PRO)
    for package_ref, count in new.items():
        yield Change(day, "paid_accounts", count, package_ref)
        yield Change(day, "revenue", count * PRICES[package_ref], 0, USD, 1)
    charges = number // 3 + sum(new.values())
    yield Change(day, "charges", charges, 0, USD)
    yield Change(day, "charged", charges * 13 + number % 17 * 9, 0, USD)
    yield Change(day, "published", registered * 4 // 9 - number % 4)
    visits = round((900 + number * 6 + 140 * sin(number / 5) + number * 13 % 97) * (0.7 if is_weekend else 1))
    yield Change(day, "visits", visits)
    yield Change(day, "views", visits * 12 // 5)
    yield Change(day, "failed_mails", registered * (number % 5) // 40)
    yield Change(day, "failed_deliveries", (3 + number % 4) if number % 19 == 0 else 0)
    yield Change(day, "failing_domains", (number % 7 == 0) * 2 - (number % 14 == 4) * 3)
    yield Change(day, "certificates_expired", (number % 11 == 0) - (number % 11 == 3))
    yield Change(day, "certificates_within_7_days", (number % 6 == 0) * 2 - (number % 6 == 4) * 2)
    yield Change(day, "certificates_within_30_days", (number % 9 == 0) * 3 - (number % 9 == 5) * 3)
    yield Change(day, "certificates_later", number % 2)
