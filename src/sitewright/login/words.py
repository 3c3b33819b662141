"""What the pages say, in the languages of `texts/`; dates and prices as each language writes them."""

from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec
import yaml
from babel.core import negotiate_locale
from babel.dates import format_date, format_timedelta
from babel.numbers import format_currency

from sitewright.login.store import AccountRow

_FOLDER = Path(__file__).parent / "texts"
TEXTS: dict[str, dict[str, str]] = {
    file.stem: yaml.safe_load(file.read_text(encoding="utf-8")) for file in sorted(_FOLDER.glob("*.yaml"))
}
DEFAULT = "en"


class Words(msgspec.Struct, frozen=True):
    """The texts of one language: `words("greeting", name="Ann")`."""

    language: str

    def __call__(self, text: str, **facts: str | int) -> str:
        return TEXTS[self.language][text].format(**facts)

    def wait(self, seconds: int) -> str:
        return format_timedelta(timedelta(seconds=seconds), threshold=2, locale=self.language)

    def date(self, at: datetime, zone: str) -> str:
        return format_date(at.astimezone(ZoneInfo(zone)).date(), "long", locale=self.language)

    def price(self, price: Decimal | None, alpha_code: str | None, months: int | None) -> str:
        """What a package costs, and how often."""
        if not price or alpha_code is None or months is None:
            return self("free")
        amount = format_currency(price, alpha_code, locale=self.language)
        unit, count = ("year", months // 12) if months % 12 == 0 else ("month", months)
        return self(f"per_{unit}", price=amount) if count == 1 else self(f"per_{unit}s", price=amount, count=count)

    def until(self, row: AccountRow, zone: str) -> str | None:
        """When the package ends or renews; None for one that goes on as it is."""
        if row.due_at is None:
            return None
        text = "trial_until" if row.is_trial else "renews_on" if row.renews else "ends_on"
        return self(text, date=self.date(row.due_at, zone))


def words_for(own: str | None, brand_languages: list[str] | None, accept_language: str) -> Words:
    """The account holder's own language, else of the brand's the one the browser asks for, else the brand's first.

    Of these, those that there are texts for; without a brand, all of them.
    """
    available = [code for code in map(_text_of, brand_languages or []) if code is not None]
    asked = negotiate_locale(_accepted(accept_language), available or list(TEXTS), sep="-")
    return Words(_text_of(own) or asked or (available or [DEFAULT])[0])


def _text_of(code: str | None) -> str | None:
    language = (code or "").replace("_", "-").partition("-")[0].lower()
    return language if language in TEXTS else None


def _accepted(accept_language: str) -> list[str]:
    """The languages of the header, most wanted first."""
    weighed = []
    for part in accept_language.split(",")[:20]:
        code, _, weight = part.strip().partition(";q=")
        try:
            weighed.append((float(weight or 1), code.strip()))
        except ValueError:
            continue
    return [code for weight, code in sorted(weighed, key=lambda each: -each[0]) if weight > 0]
