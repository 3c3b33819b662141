"""Localized messages of pages, one YAML file per language, and localized dates."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo

import msgspec
import msgspec.yaml
from babel.core import Locale, UnknownLocaleError, negotiate_locale
from babel.dates import format_date, format_time, format_timedelta
from babel.numbers import format_compact_currency, format_currency, format_decimal, format_percent
from markupsafe import Markup, escape

from sitewright.kit import ui
from sitewright.kit.text import language_of

_FOLDER = Path(ui.__file__).parent / "texts"
DEFAULT = "en"


class Messages(msgspec.Struct, frozen=True):
    """The messages of one language: `messages("greeting", name="Ann")`."""

    language: str
    texts: dict[str, str]

    def __call__(self, text: str, **facts: str | int) -> str:
        return self.texts[text].format(**facts)

    def html(self, text: str, **facts: str | int) -> Markup:
        """The same as HTML: facts are escaped, unless they are markup."""
        return Markup(escape(self.texts[text])).format(**facts)  # noqa: S704 - escaped just before

    def __contains__(self, text: str) -> bool:
        return text in self.texts

    def wait(self, seconds: int) -> str:
        return format_timedelta(timedelta(seconds=seconds), threshold=2, locale=self.language)

    def language_name(self, code: str) -> str:
        """The code where it is none that is known."""
        try:
            return Locale.parse(code.replace("-", "_")).get_display_name(self.language) or code
        except (UnknownLocaleError, ValueError):
            return code

    def number(self, value: float | Decimal) -> str:
        return format_decimal(value, locale=self.language)

    def percent(self, share: float) -> str:
        return format_percent(share, locale=self.language)

    def money(self, amount: float | Decimal, currency: str) -> str:
        return format_currency(amount, currency, locale=self.language)

    def short_money(self, amount: float | Decimal, currency: str) -> str:
        """For the scale of a chart: `€1.5K`."""
        return format_compact_currency(amount, currency, locale=self.language, fraction_digits=1)

    def date(self, at: datetime, zone: str) -> str:
        return format_date(at.astimezone(ZoneInfo(zone)).date(), "long", locale=self.language)

    def day(self, at: datetime, zone: str) -> Markup:
        """A `<time>` element with the date in a zone, which the pages' script shows in the reader's own zone."""
        utc = at.astimezone(UTC)
        return Markup('<time datetime="{}" data-local="date">{}</time>').format(f"{utc:%FT%TZ}", self.date(at, zone))

    def time(self, at: datetime) -> Markup:
        """A `<time>` element with date and time of day in UTC, which the pages' script shows in the reader's zone."""
        return self._time(at, "minutes", "long")

    def short_time(self, at: datetime) -> Markup:
        """The same with the month abbreviated, for tables."""
        return self._time(at, "short", "medium")

    def time_of_day(self, at: datetime) -> Markup:
        """The same without the date, for times within hours."""
        utc = at.astimezone(UTC)
        minutes = format_time(utc, "short", locale=self.language)
        return Markup('<time datetime="{}" data-local="time">{} UTC</time>').format(f"{utc:%FT%TZ}", minutes)

    def _time(self, at: datetime, how: str, date_format: Literal["long", "medium"]) -> Markup:
        utc = at.astimezone(UTC)
        day = format_date(utc, date_format, locale=self.language)
        minutes = format_time(utc, "short", locale=self.language)
        return Markup('<time datetime="{}" data-local="{}">{}</time>').format(
            f"{utc:%FT%TZ}", how, f"{day}, {minutes} UTC"
        )


class MessageCatalog:
    """The messages of a feature's folders, one file per language in each, and the common messages of all pages."""

    def __init__(self, *folders: Path) -> None:
        self.own: dict[str, dict[str, str]] = {}
        for folder in folders:
            for language, texts in _read(folder).items():
                self.own[language] = self.own.get(language, {}) | texts
        self.languages = {language: COMMON[language] | texts for language, texts in self.own.items()}

    def messages_for(self, own: str | None, brand_languages: list[str] | None, accept_language: str) -> Messages:
        """Language negotiation: the account holder's own language, else the browser's preferred one of the brand's
        languages, else the brand's first.

        Languages without messages are skipped; without a brand, all languages with messages are candidates.
        """
        available = [code for code in map(self._text_of, brand_languages or []) if code is not None]
        negotiated = negotiate_locale(_accepted(accept_language), available or list(self.languages), sep="-")
        language = self._text_of(own) or negotiated or (available or [DEFAULT])[0]
        return Messages(language, self.languages[language])

    def _text_of(self, code: str | None) -> str | None:
        language = language_of(code or "")
        return language if language in self.languages else None


def _read(folder: Path) -> dict[str, dict[str, str]]:
    return {file.stem: msgspec.yaml.decode(file.read_bytes()) for file in sorted(folder.glob("*.yaml"))}


def _accepted(accept_language: str) -> list[str]:
    """The languages of an Accept-Language header, most preferred first."""
    weighted = []
    for part in accept_language.split(",")[:20]:
        code, _, weight = part.strip().partition(";q=")
        try:
            weighted.append((float(weight or 1), code.strip()))
        except ValueError:
            continue
    return [code for weight, code in sorted(weighted, key=lambda each: -each[0]) if weight > 0]


COMMON = _read(_FOLDER)
COMMON_CATALOG = MessageCatalog(_FOLDER)
"""Only the common messages, for pages of no feature."""
