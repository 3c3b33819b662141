"""Adds up counted figures: sums of a period, and levels at the end of a day."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from fractions import Fraction
from math import floor

from sitewright.statistics.periods import Period
from sitewright.statistics.store import Figure

ACCOUNTS = {"free": "free_accounts", "trial": "trial_accounts", "paid": "paid_accounts"}
"""The figures of accounts with a package, by what they pay."""
CERTIFICATES = tuple(f"certificates_{left}" for left in ("expired", "within_7_days", "within_30_days", "later"))


class Figures:
    """The figures of a brand until the end of a period."""

    def __init__(self, counted: Iterable[Figure]) -> None:
        self._by_name: defaultdict[str, list[Figure]] = defaultdict(list)
        for figure in counted:
            self._by_name[figure.name].append(figure)
        self._by_day: dict[str, defaultdict[date, Decimal]] = {}

    def of(self, *names: str) -> list[Figure]:
        return [figure for name in names for figure in self._by_name[name]]

    def total(self, name: str, period: Period) -> int:
        return sum(self.daily(name, period))

    def daily(self, name: str, period: Period) -> list[int]:
        if name not in self._by_day:
            self._by_day[name] = _by_day(self._by_name[name])
        by_day = self._by_day[name]
        return [int(by_day.get(day, 0)) for day in period.days()]

    def failures(self, name: str, period: Period) -> list[int]:
        """Those of each day, also those whose rows are deleted."""
        both = zip(self.daily(name, period), self.daily(f"deleted_{name}", period), strict=True)
        return [kept + deleted for kept, deleted in both]

    def levels(self, name: str, period: Period) -> list[int]:
        """How many there were at the end of each day."""
        return [int(level) for level in running_totals(self._by_name[name], period)]

    def accounts(self, period: Period) -> list[int]:
        """Accounts that are not deleted, at the end of each day."""
        both = zip(self.levels("registered", period), self.levels("deleted", period), strict=True)
        return [registered - deleted for registered, deleted in both]

    def failing_domains(self, period: Period) -> list[int]:
        """Registered domains and addresses of sites, at the end of each day."""
        return [int(level) for level in running_totals(self.of("failing_domains", "failing_addresses"), period)]

    def daily_revenue(self, currency_ref: int, period: Period) -> list[Decimal]:
        """What subscriptions are worth a month at the end of each day."""
        by_months: defaultdict[int, list[Figure]] = defaultdict(list)
        for figure in self._by_name["revenue"]:
            if figure.currency_ref == currency_ref:
                by_months[figure.months].append(figure)
        totals = {months: running_totals(figures, period) for months, figures in by_months.items()}
        return [
            rounded(sum((Fraction(levels[index]) / months for months, levels in totals.items()), Fraction()))
            for index, _ in enumerate(period.days())
        ]


def running_totals(figures: Sequence[Figure], period: Period) -> list[Decimal]:
    """The sum of everything until the end of each day."""
    level = sum((figure.value for figure in figures if figure.day < period.first), Decimal())
    by_day = _by_day(figures)
    levels = []
    for day in period.days():
        level += by_day[day]
        levels.append(level)
    return levels


def level_at(figures: Iterable[Figure], day: date) -> Decimal:
    return sum((figure.value for figure in figures if figure.day <= day), Decimal())


def _by_day(figures: Iterable[Figure]) -> defaultdict[date, Decimal]:
    by_day: defaultdict[date, Decimal] = defaultdict(Decimal)
    for figure in figures:
        by_day[figure.day] += figure.value
    return by_day


def rounded(amount: Fraction) -> Decimal:
    """To two decimals, halves up: exact fractions are summed, and each sum is rounded once."""
    return Decimal(floor(amount * 100 + Fraction(1, 2))).scaleb(-2)
