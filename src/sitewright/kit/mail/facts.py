"""The variables of a mail's texts: its facts formatted for people, the account holder and the brand.

Facts may have been stored by another release: one that is missing, invalid or of another type is left out, never an
error.
"""

import re
from collections.abc import Iterator
from datetime import datetime, tzinfo
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from babel import Locale, UnknownLocaleError
from babel.dates import format_date
from babel.numbers import format_currency

from sitewright.kit.mail.shared_texts import FALLBACK, shared_texts
from sitewright.kit.mail_features import MailBrand, Recipient
from sitewright.kit.mail_kinds import MailKind
from sitewright.kit.text import language_of

MAX_LENGTH = 1000
MAX_FACT_LENGTH = 8000
_CURRENCY = re.compile("[A-Z]{3}")
_JOINERS = "\u200c\u200d"  # zero-width joiners: some scripts need them


def one_line(text: Any, max_length: int = MAX_LENGTH) -> str:
    """Without control characters and line breaks of any kind, so that it is safe in a header."""
    kept = str(text)
    if not kept.isprintable():
        kept = "".join(each if each.isprintable() or each in _JOINERS else " " for each in kept)
    return " ".join(kept.split())[:max_length]


def multiple_lines(text: str, max_length: int = MAX_FACT_LENGTH) -> str:
    """As `one_line`, line by line."""
    return "\n".join(one_line(line, max_length) for line in text[:max_length].splitlines()).strip("\n")


def variables(
    kind: MailKind, recipient: Recipient, facts: dict[str, Any], brand: MailBrand, language: str
) -> dict[str, Any]:
    """None of them is a secret of the service or of another account holder."""
    return (
        dict(_formatted(kind, facts, locale_of(language), zone_of(brand.time_zone)))
        | dict(_period(facts, language))
        | {
            "firstName": one_line(recipient.first_name or ""),
            "lastName": one_line(recipient.last_name or ""),
            "username": one_line(recipient.username or ""),
            "email": one_line(recipient.email or ""),
            "brandName": one_line(recipient.brand_name or brand.name),
            "contact": one_line(recipient.contact or brand.support_email or brand.contact or ""),
            "helpUrl": one_line(recipient.help_url or brand.support_url or brand.help_url or ""),
            "privacyUrl": one_line(brand.privacy_url or ""),
            "termsUrl": one_line(brand.terms_url or ""),
            "logoUrl": "" if recipient.brand_name else one_line(brand.mail_logo or ""),
        }
    )


def links_of(facts: dict[str, Any]) -> list[dict[str, str]]:
    """Where the mail's button leads: at most one link, that of the account the mail is addressed to.

    An older release put the links of several accounts into one mail; only the first of them is used.
    """
    links = facts.get("links")
    if not isinstance(links, list):
        links = [{"url": facts.get("url") or facts.get("loginUrl")}]
    found = [
        {"username": one_line(each.get("username") or ""), "url": one_line(each.get("url"), MAX_FACT_LENGTH)}
        for each in links[:1]
        if isinstance(each, dict)
    ]
    return [each for each in found if each["url"].startswith(("https://", "http://"))]


def _formatted(kind: MailKind, facts: dict[str, Any], locale: Locale, zone: tzinfo) -> Iterator[tuple[str, Any]]:
    for name, value in facts.items():
        if isinstance(value, str) and name not in (*kind.date_facts, "amount"):
            yield name, multiple_lines(value) if name in kind.multi_line_facts else one_line(value, MAX_FACT_LENGTH)
    yield "links", links_of(facts)
    for name in kind.date_facts:
        if (moment := _moment(facts.get(name))) is not None:
            yield name, format_date(moment.astimezone(zone), "long", locale=locale)
    if (price := _price(facts, locale)) is not None:
        yield "amount", price
        yield "price", price


def _period(facts: dict[str, Any], language: str) -> Iterator[tuple[str, Any]]:
    months, shared = facts.get("months"), shared_texts().get(language_of(language))
    if isinstance(months, int) and months > 0:
        yield "months", months
        if shared is not None:  # Babel's CLDR data lacks the unit in some languages
            one, several = shared.months
            yield "period", one if months == 1 else several.format(months)


def _moment(value: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return None
    return moment if moment.tzinfo is not None else None


def _price(facts: dict[str, Any], locale: Locale) -> str | None:
    amount, currency = facts.get("amount"), facts.get("currency")
    if amount is None or not isinstance(currency, str) or not _CURRENCY.fullmatch(currency):
        return None
    try:
        number = Decimal(str(amount))
    except InvalidOperation:
        return None
    return format_currency(number, currency, locale=locale) if number.is_finite() else None


@cache
def locale_of(language: str) -> Locale:
    for code in (language, language.partition("-")[0]):
        try:
            return Locale.parse(code.replace("-", "_"))
        except (ValueError, UnknownLocaleError):
            continue
    return Locale.parse(FALLBACK)


@cache
def direction_of(language: str) -> str:
    """`ltr` or `rtl`."""
    return locale_of(language).text_direction


@cache
def zone_of(name: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return ZoneInfo("UTC")
