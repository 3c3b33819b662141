"""The periods that the overview offers, and how it writes them."""

from datetime import date, timedelta

import msgspec
from babel.dates import format_interval

from sitewright.kit.http.messages import Messages
from sitewright.statistics.service import Period
from sitewright.web.console.frame.navigation import OVERVIEW

LENGTHS = (7, 30, 90)
"""In days."""


class PeriodChoice(msgspec.Struct, frozen=True):
    label: str
    href: str
    is_current: bool


def period_choices(messages: Messages, shown: Period, today: date) -> list[PeriodChoice]:
    """The last days, this year and the last one. The address holds the days."""
    named = {messages("overview_last_days", days=days): (today - timedelta(days=days - 1), today) for days in LENGTHS}
    last_year = today.year - 1
    named[messages("overview_this_year")] = (date(today.year, 1, 1), today)
    named[messages("overview_last_year")] = (date(last_year, 1, 1), date(last_year, 12, 31))
    return [
        PeriodChoice(label, f"{OVERVIEW}?from={first}&to={last}", (first, last) == (shown.first, shown.last))
        for label, (first, last) in named.items()
    ]


def period_text(messages: Messages, period: Period) -> str:
    """From the first day to the last; one date where it is one day."""
    return format_interval(period.first, period.last, "yMMMd", locale=messages.language)
