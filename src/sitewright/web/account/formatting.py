"""Format prices, dates, reasons and problems in the user's language."""

from collections.abc import Iterable
from pathlib import Path

from babel.numbers import format_currency
from markupsafe import Markup

from sitewright.kit.http.messages import MessageCatalog, Messages
from sitewright.kit.problems import Problem
from sitewright.sites.publishing.service import Reason
from sitewright.sites.sites.errors import DomainLimitReached, PackageLimitReached
from sitewright.web.account.store import PackageRow
from sitewright.web.domains import service as domains

_FOLDER = Path(__file__).parent
CATALOG = MessageCatalog(_FOLDER / "texts", _FOLDER / "own_account" / "texts", domains.TEXTS)


def price_of(package: PackageRow, messages: Messages) -> str:
    """Format the price and billing period of a package."""
    months = package.billing_period_months
    if not package.price or package.alpha_code is None or not months:
        return messages("free")
    price = format_currency(package.price, package.alpha_code, locale=messages.language)
    unit, count = ("year", months // 12) if months % 12 == 0 else ("month", months)
    return messages(f"per_{unit}", price=price) if count == 1 else messages(f"per_{unit}s", price=price, count=count)


def end_of(package: PackageRow, messages: Messages, zone: str) -> Markup | None:
    """Format when the package ends or renews; None for an unlimited one."""
    if package.due_at is None:
        return None
    text = "trial_until" if package.is_trial else "renews_on" if package.renews else "ends_on"
    return messages.html(text, date=messages.day(package.due_at, zone))


def describe_reasons(reasons: Iterable[Reason], messages: Messages) -> list[str]:
    """Translate reasons without duplicates; those without a translation keep the service's text."""
    return list(dict.fromkeys(_describe_reason(each, messages) for each in reasons))


def _describe_reason(reason: Reason, messages: Messages) -> str:
    if reason.capability is not None:
        return _limit(messages, reason.capability, reason.limit, reason.use, reason.detail)
    return _why(messages, reason.code, reason.detail)


def describe_problem(problem: Problem, messages: Messages) -> str:
    """Translate a problem; a limit is explained with what is used and what is allowed."""
    if isinstance(problem, PackageLimitReached):
        return _limit(messages, problem.capability, problem.limit, problem.use, problem.detail)
    if isinstance(problem, DomainLimitReached):
        return messages("why_domainLimitReached", limit=messages.number(problem.limit))
    return _why(messages, next(iter(problem.errors), problem.code), problem.detail)


def _limit(messages: Messages, capability: str, limit: int, use: int, detail: str) -> str:
    key = f"why_{capability}"
    return messages(key, limit=limit, used=use) if key in messages else detail


def _why(messages: Messages, code: str, detail: str) -> str:
    return messages(f"why_{code}") if f"why_{code}" in messages else detail
