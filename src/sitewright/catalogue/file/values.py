"""Validation of single values of the catalogue file, beyond their types."""

import re
from decimal import Decimal
from typing import Any

from babel import Locale, UnknownLocaleError

from sitewright.catalogue.file.yaml_reader import Source
from sitewright.catalogue.packages.service import CAPABILITIES
from sitewright.tenants.brands.settings.service import RULES as BRAND_RULES
from sitewright.tenants.brands.settings.service import Rule, matches

_KEY = re.compile(r"[a-z0-9][a-z0-9-]*")
_AMOUNT = re.compile(r"[0-9]{1,8}(?:\.[0-9]{1,2})?")
_RATE = re.compile(r"(?=.*[1-9])[0-9]{1,9}(?:\.[0-9]{1,9})?")
_PICTURE = re.compile(r"[\w-]+\.(svg|png|jpg|webp)", re.ASCII)


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


def _is_locale(value: Any) -> bool:
    try:
        return bool(Locale.parse(str(value)))
    except (ValueError, UnknownLocaleError):
        return False


KEY = (matches(_KEY.fullmatch), "lower-case letters, digits and hyphens")
AMOUNT = (matches(_AMOUNT.fullmatch), "an amount like 10 or 9.99")
RULES: dict[str, dict[str, Rule]] = {
    "currencies": {
        "alphaCode": (matches(re.compile("[A-Z]{3}").fullmatch), "three capital letters"),
        "numCode": (matches(re.compile("[0-9]{3}").fullmatch), "three digits in quotes"),
        "currencyRate": (matches(_RATE.fullmatch), "a number above 0"),
        "locale": (_is_locale, "a locale like de_DE"),
    },
    "templateCategories": {"key": KEY},
    "templates": {
        "directory": KEY,
        "thumbnail": (matches(_PICTURE.fullmatch), "a file name like shop.svg"),
    },
    "packages": {"key": KEY},
    "prices": {"price": AMOUNT, "offerPrice": AMOUNT},
    "brands": BRAND_RULES,
}
