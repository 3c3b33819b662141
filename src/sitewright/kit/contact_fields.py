"""Rules of telephone numbers and postal codes, lenient enough for every country."""

import re

MIN_DIGITS = 3
_PHONE = re.compile(r"\+?[0-9 ()/.\-]{3,40}(?:(?:x|ext\.?) ?[0-9]{1,8})?", re.IGNORECASE)
_POSTAL_CODE = re.compile(r"[0-9A-Za-z][0-9A-Za-z \-]{1,14}")


def is_phone_number(text: str) -> bool:
    """Digits with the usual separators, perhaps with a country code and an extension."""
    return _PHONE.fullmatch(text) is not None and sum(each.isdigit() for each in text) >= MIN_DIGITS


def is_postal_code(text: str) -> bool:
    return _POSTAL_CODE.fullmatch(text) is not None
