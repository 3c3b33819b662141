"""Series of the overview's charts."""

from collections.abc import Sequence

import msgspec

from sitewright.statistics.service import DayFigures

WEEK = 7


class Series(msgspec.Struct, frozen=True):
    """A line or part of a chart; `is_previous`: of the period before."""

    label: str
    values: Sequence[float]
    is_previous: bool = False


def values_of(days: Sequence[DayFigures], figure: str) -> list[float]:
    return [getattr(day, figure) for day in days]


def week_ends(days: int) -> range:
    """The numbers of the last day and of every seventh day before it."""
    return range((days - 1) % WEEK, days, WEEK)


def weeks_of(values: Sequence[float]) -> list[Sequence[float]]:
    """The seven days until each end of a week; the first week may have fewer."""
    return [values[max(0, end - WEEK + 1) : end + 1] for end in week_ends(len(values))]


def weekly_averages(values: Sequence[float]) -> list[float]:
    return [round(sum(week) / len(week)) for week in weeks_of(values)]


def weekly_sums(values: Sequence[float]) -> list[float]:
    return [sum(week) for week in weeks_of(values)]
