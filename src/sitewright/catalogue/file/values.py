"""Validation of single values of the catalogue file, beyond their types."""

import re
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import available_timezones

from babel import Locale, UnknownLocaleError

from sitewright.catalogue.file.yaml_reader import Source
from sitewright.catalogue.packages.service import CAPABILITIES
from sitewright.kit.addresses import is_address
from sitewright.kit.mail.message import parse_sender
from sitewright.kit.ui.pictures import parse_data_url

_KEY = re.compile(r"[a-z0-9][a-z0-9-]*")
_AMOUNT = re.compile(r"[0-9]{1,8}(?:\.[0-9]{1,2})?")
_RATE = re.compile(r"(?=.*[1-9])[0-9]{1,9}(?:\.[0-9]{1,9})?")
_PICTURE = re.compile(r"[\w-]+\.(svg|png|jpg|webp)", re.ASCII)
_COLOR = re.compile(r"#?[0-9A-Fa-f]{6}")
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_HOST = re.compile(r"(?=.{1,253}$)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*")


def check(source: Source, section: str, path: str, entry: dict[str, Any]) -> None:
    """Add an error to `source` for each value of the entry that violates a rule of its section."""
    for field, (is_valid, expected) in RULES.get(section, {}).items():
        value = entry.get(field)
        for index, item in enumerate(value if isinstance(value, list) else [value]):
            if item is not None and not is_valid(item):
                where = f"{path}.{field}[{index}]" if isinstance(value, list) else f"{path}.{field}"
                source.add_error(where, f"must be {expected}")
    if section == "packages":
        _check_capabilities(source, f"{path}.capabilities", entry.get("capabilities"))


def amount(value: Any) -> str | None:
    """Normalize an amount of money to two decimals, so that equal amounts compare equal."""
    return None if value is None else f"{Decimal(str(value)):.2f}"


def rate(value: Any) -> str:
    """Normalize a currency rate: no trailing zeros, no exponent."""
    return f"{Decimal(str(value)).normalize():f}"


def color(value: str | None) -> str | None:
    """Normalize a color to `#rrggbb` in lower case."""
    return None if value is None else f"#{value.removeprefix('#').lower()}"


def _check_capabilities(source: Source, path: str, given: Any) -> None:
    if given is None:
        return
    if not isinstance(given, dict):
        source.add_error(path, "must be numbers by name, like liveSites: 1")
        return
    for name, number in given.items():
        if name not in CAPABILITIES:
            source.add_error(f"{path}.{name}", "there is no such capability")
        elif type(number) is not int or not 0 <= number < 2**53:
            source.add_error(f"{path}.{name}", "must be a number from 0 on")


def _matches(fullmatch: Callable[[str], re.Match[str] | None]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str | int) and fullmatch(str(value)) is not None


def _is_url(value: Any) -> bool:
    try:
        parts = urlsplit(str(value))
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and " " not in str(value)


@cache
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())


def _is_locale(value: Any) -> bool:
    try:
        return bool(Locale.parse(str(value)))
    except (ValueError, UnknownLocaleError):
        return False


KEY = (_matches(_KEY.fullmatch), "lower-case letters, digits and hyphens")
AMOUNT = (_matches(_AMOUNT.fullmatch), "an amount like 10 or 9.99")
URL = (_is_url, "an absolute http or https URL")
HOST = (_matches(_HOST.fullmatch), "a host name in lower case")
LABEL = (_matches(_LABEL.fullmatch), "one label of a host name: lower-case letters, digits and hyphens, without a dot")
PICTURE = (
    lambda value: parse_data_url(str(value)) is not None,
    "an SVG, PNG, WebP, JPEG or ICO file of at most 64 KiB, named by its path or as a data: URL",
)
RULES: dict[str, dict[str, tuple[Callable[[Any], bool], str]]] = {
    "currencies": {
        "alphaCode": (_matches(re.compile("[A-Z]{3}").fullmatch), "three capital letters"),
        "numCode": (_matches(re.compile("[0-9]{3}").fullmatch), "three digits in quotes"),
        "currencyRate": (_matches(_RATE.fullmatch), "a number above 0"),
        "locale": (_is_locale, "a locale like de_DE"),
    },
    "templateCategories": {"key": KEY},
    "templates": {
        "directory": KEY,
        "thumbnail": (_matches(_PICTURE.fullmatch), "a file name like shop.svg"),
    },
    "packages": {"key": KEY},
    "prices": {"price": AMOUNT, "offerPrice": AMOUNT},
    "brands": {
        "timeZone": (lambda value: isinstance(value, str) and value in _zones(), "a time zone like Europe/Berlin"),
        "domain": HOST,
        "activationURL": URL,
        "helpURL": URL,
        "editorUrl": URL,
        "redirectURL": URL,
        "supportUrl": URL,
        "privacyUrl": URL,
        "termsUrl": URL,
        "externalPaymentURL": URL,
        "externalSubscriptionURL": URL,
        "externalPaymentCancellationURL": URL,
        "supportEmail": (lambda value: is_address(str(value)), "a mail address"),
        "accentColour": (_matches(_COLOR.fullmatch), 'a color in quotes, like "#0b5cad"'),
        "logo": PICTURE,
        "favicon": PICTURE,
        "mailSender": (lambda value: parse_sender(str(value)) is not None, "an address, or Name <address>"),
        "allowedLinkHosts": HOST,
        "reservedNames": LABEL,
        "allowedReservedNames": LABEL,
    },
}
