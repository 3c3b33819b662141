"""Rules of contact fields, lenient enough for every country. Pages check what people type (decision 0085)."""

import re
from collections.abc import Mapping
from enum import Enum

from sitewright.kit.addresses import is_address
from sitewright.kit.problems import FieldErrors
from sitewright.kit.validation import MAX_TEXT

MIN_DIGITS = 3
MAX_EMAIL = 254
_PHONE = re.compile(r"\+?[0-9 ()/.\-]{3,40}(?:(?:x|ext\.?) ?[0-9]{1,8})?", re.IGNORECASE)
_POSTAL_CODE = re.compile(r"[0-9A-Za-z][0-9A-Za-z \-]{1,14}")


def is_phone_number(text: str) -> bool:
    """Digits with the usual separators, perhaps with a country code and an extension."""
    return _PHONE.fullmatch(text) is not None and sum(each.isdigit() for each in text) >= MIN_DIGITS


def is_postal_code(text: str) -> bool:
    return _POSTAL_CODE.fullmatch(text) is not None


def is_email(text: str) -> bool:
    return len(text) <= MAX_EMAIL and is_address(text)


def is_address_line(text: str) -> bool:
    """A street, city, region or country: one line that contains a letter or a digit of any alphabet."""
    return len(text) <= MAX_TEXT and text.isprintable() and any(each.isalnum() for each in text)


class ContactField(Enum):
    """A kind of contact field: its rule, and what the rule requires."""

    PHONE = (is_phone_number, "must be a telephone number, like +44 20 7946 0000")
    POSTAL_CODE = (is_postal_code, "must be a postal code of letters and digits")
    EMAIL = (is_email, "must be an email address")
    ADDRESS_LINE = (is_address_line, f"must be one line with letters or digits, of at most {MAX_TEXT} characters")


def check_contact(fields: Mapping[str, ContactField], values: Mapping[str, str | None]) -> FieldErrors:
    """The errors of values that are not empty, by the names of their fields."""
    errors: FieldErrors = {}
    for name, field in fields.items():
        is_valid, message = field.value
        value = (values.get(name) or "").strip()
        if value and not is_valid(value):
            errors[name] = {f"invalid{name[0].upper()}{name[1:]}": message}
    return errors
