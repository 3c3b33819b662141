"""Days, times and dates in the language of a site."""

from collections.abc import Sequence
from datetime import date, time
from functools import lru_cache

from babel.core import Locale, UnknownLocaleError
from babel.dates import format_date, format_time, get_day_names

DAYS = ("mo", "tu", "we", "th", "fr", "sa", "su")
DEFAULT = "en"
LEAST_RANGE = 3
"""Fewer consecutive days are listed one by one."""


@lru_cache
def locale_of(language_code: str) -> Locale:
    """The locale of a language code, or English where there is none."""
    try:
        return Locale.parse(language_code.replace("-", "_"))
    except (UnknownLocaleError, ValueError):
        return Locale.parse(DEFAULT)


def days_text(language_code: str, days: Sequence[str]) -> str:
    """`Monday \N{EN DASH} Friday, Sunday`, from days in the order of the week."""
    names = get_day_names("wide", locale=locale_of(language_code))
    runs: list[list[int]] = []
    for number in sorted(DAYS.index(day) for day in days):
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    parts = [
        f"{names[run[0]]} \N{EN DASH} {names[run[-1]]}"
        if len(run) >= LEAST_RANGE
        else ", ".join(names[day] for day in run)
        for run in runs
    ]
    text = ", ".join(parts)
    return text[:1].upper() + text[1:]


def time_range(language_code: str, opens: str, closes: str) -> str:
    """`9:00 AM \N{EN DASH} 12:30 PM` or `09:00 \N{EN DASH} 12:30`."""
    return f"{_time(language_code, opens)} \N{EN DASH} {_time(language_code, closes)}"


def date_text(language_code: str, day: str) -> str:
    return format_date(date.fromisoformat(day), "long", locale=locale_of(language_code))


def _time(language_code: str, text: str) -> str:
    hour, minute = (int(part) for part in text.split(":"))
    return format_time(time(hour % 24, minute), "short", locale=locale_of(language_code))
