"""The brand's figures as the overview shows them: series of charts, amounts and shares, in the operator's language."""

from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Any
from urllib.parse import urlencode

import msgspec
from babel.dates import format_skeleton

from sitewright.kit.http.messages import Messages
from sitewright.kit.ui.plots import share_of
from sitewright.statistics.service import COUNTED, BrandStatistics, Compared, CurrencyFigures, FailingDomains
from sitewright.web.console.frame.navigation import ADDRESSES
from sitewright.web.console.overview.series import Series, values_of, week_ends, weekly_averages, weekly_sums
from sitewright.web.domains.service import describe_reason

LONG = 180
"""Days. Charts of a longer period have a value for each week: days would make long tables, and weekdays would hide how
visits develop."""
STATES = ("free", "trial", "paid")
EXPIRING = ("expired", "within_7_days", "within_30_days")
"""Certificates that last longer would hide these in a chart."""
Format = Callable[[float], str]


class Amounts(msgspec.Struct, frozen=True):
    """An amount of the period, and of the one before."""

    current: Decimal
    previous: Decimal


class CurrencyView(msgspec.Struct, frozen=True, kw_only=True):
    """Revenue and charges in one currency."""

    figures: CurrencyFigures
    revenue: Amounts
    charged: Amounts
    series: list[Series]
    money: Format
    short_money: Format


class FailingReason(msgspec.Struct, frozen=True):
    """Why domains fail at present, and how many; `href`: the list of those, if there is one."""

    text: str
    kind: str
    href: str | None
    domains: int


class OverviewView:
    def __init__(self, found: BrandStatistics, messages: Messages) -> None:
        self.found, self._messages = found, messages
        self.is_long = len(found.days) > LONG
        self._shown = week_ends(len(found.days)) if self.is_long else range(len(found.days))
        self.labels = [self._label(found.days[number].date) for number in self._shown]
        self.weeks = [self._label(each.week) for each in found.conversion]
        self.currencies = [self._currency(each) for each in found.currencies]
        self.states = [
            Series(messages(f"overview_{state}"), self._of_shown(values_of(found.days, state))) for state in STATES
        ]
        self.failing_now = min(COUNTED, sum(each.domains for each in found.failing_domains))
        self.certificates = [
            Series(messages(f"overview_{left}"), self._of_shown(values_of(found.days, f"certificates_{left}")))
            for left in EXPIRING
        ]
        self.accounts_with_a_package = sum(each.free + each.trial + each.paid for each in found.packages)

    def levels(self, figure: str) -> list[Series]:
        """How many there were, and how many before."""
        days = (self.found.days, self.found.previous_days)
        return self._compared(*(self._of_shown(values_of(each, figure)) for each in days))

    @property
    def visits(self) -> list[Series]:
        """Of each day, or averages of weeks."""
        return self._by_day_or_week("visits", weekly_averages)

    def failures(self, figure: str) -> list[Series]:
        """Of each day, or of weeks."""
        return self._by_day_or_week(figure, weekly_sums)

    def list_of_period(self, path: str, first: str = "from", last: str = "to") -> str:
        """The address of a list, with the days of the period."""
        query = urlencode({first: self.found.first, last: self.found.last})
        return f"{path}{'&' if '?' in path else '?'}{query}"

    @property
    def failing_reasons(self) -> list[FailingReason]:
        return [self._reason(each) for each in self.found.failing_domains]

    @property
    def failed_registrations(self) -> Compared:
        """Failing domains that are no addresses of sites."""
        both, addresses = self.found.failing_domain_count, self.found.failing_address_count
        return Compared(both.current - addresses.current, both.previous - addresses.previous)

    def _reason(self, found: FailingDomains) -> FailingReason:
        kind = self._messages(f"overview_kind_{found.kind}")
        if found.kind == "registration":
            return FailingReason(found.reason, kind, None, found.domains)
        text = describe_reason(found.reason, self._messages)
        return FailingReason(text, kind, f"{ADDRESSES}?{urlencode({'reason': found.reason})}", found.domains)

    @property
    def cohorts(self) -> list[dict[str, Any]]:
        """The newest week first."""
        named = zip(self.weeks, self.found.conversion, strict=True)
        rows: list[dict[str, Any]] = [
            {"label": label, "counts": [each.registered, each.trial, each.paid]} for label, each in named
        ]
        return rows[::-1]

    @property
    def conversion(self) -> list[Series]:
        """By week, in percent of those who registered."""
        return [
            Series(
                self._messages(f"overview_{step}"),
                [100 * share_of(getattr(week, step), week.registered) for week in self.found.conversion],
            )
            for step in ("trial", "paid")
        ]

    def percent(self, value: float) -> str:
        return self._messages.percent(value / 100)

    def share_of_registered(self, count: int) -> str:
        return self._messages.percent(share_of(count, self.found.registered.current))

    def counted(self, number: float) -> str:
        """A number that is counted up to a limit."""
        return self._messages.number(number) + ("+" if number >= COUNTED else "")

    def _by_day_or_week(self, figure: str, by_week: Callable[[Sequence[float]], list[float]]) -> list[Series]:
        values = [values_of(days, figure) for days in (self.found.days, self.found.previous_days)]
        return self._compared(*(by_week(each) if self.is_long else each for each in values))

    def _of_shown(self, values: Sequence[float]) -> list[float]:
        return [values[number] for number in self._shown]

    def _compared(self, current: Sequence[float], previous: Sequence[float]) -> list[Series]:
        now, before = self._messages("overview_now"), self._messages("overview_before")
        return [Series(now, current), Series(before, previous, is_previous=True)]

    def _currency(self, figures: CurrencyFigures) -> CurrencyView:
        revenue, charged = figures.monthly_revenue, figures.charged
        daily = (figures.daily_revenue, figures.previous_daily_revenue)
        return CurrencyView(
            figures=figures,
            revenue=Amounts(Decimal(revenue.current), Decimal(revenue.previous)),
            charged=Amounts(Decimal(charged.current), Decimal(charged.previous)),
            series=self._compared(*(self._of_shown([*map(float, each)]) for each in daily)),
            money=partial(self._messages.money, currency=figures.currency),
            short_money=partial(self._messages.short_money, currency=figures.currency),
        )

    def _label(self, day: str) -> str:
        """Without the year where all days are of one."""
        skeleton = "MMMd" if self.found.first[:4] == self.found.last[:4] else "yMMMd"
        return format_skeleton(skeleton, date.fromisoformat(day), locale=self._messages.language)
