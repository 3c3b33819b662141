"""What the pages say: prices and dates of packages in words."""

from collections.abc import Iterable
from pathlib import Path

from babel.numbers import format_currency

from sitewright.kit.http.words import Texts, Words
from sitewright.kit.problems import Problem
from sitewright.sites.publishing.service import Reason
from sitewright.web.account.store import PackageRow

TEXTS = Texts(Path(__file__).parent / "texts")


def price_of(package: PackageRow, words: Words) -> str:
    """What a package costs, and how often."""
    months = package.billing_period_months
    if not package.price or package.alpha_code is None or not months:
        return words("free")
    price = format_currency(package.price, package.alpha_code, locale=words.language)
    unit, count = ("year", months // 12) if months % 12 == 0 else ("month", months)
    return words(f"per_{unit}", price=price) if count == 1 else words(f"per_{unit}s", price=price, count=count)


def end_of(package: PackageRow, words: Words, zone: str) -> str | None:
    """When it ends or renews; None for one that goes on as it is."""
    if package.due_at is None:
        return None
    text = "trial_until" if package.is_trial else "renews_on" if package.renews else "ends_on"
    return words(text, date=words.date(package.due_at, zone))


def reasons_in_words(reasons: Iterable[Reason], words: Words) -> list[str]:
    """Each once; what the account holder's language has no words for, as the service says it."""
    return list(dict.fromkeys(_why(words, each.capability or each.code, each.detail) for each in reasons))


def problem_in_words(problem: Problem, words: Words) -> str:
    """A package's limit is told by the capability it is about."""
    return _why(words, next(iter(problem.errors), problem.code), problem.detail)


def _why(words: Words, code: str, detail: str) -> str:
    return words(f"why_{code}") if f"why_{code}" in words else detail
