"""Syntax check of email addresses.

Local part: RFC 5321's dot-atom, and letters of every alphabet (RFC 6531). Domain: a host name of at least two labels,
in ASCII or internationalized.
"""

import re
import unicodedata

MAX_LOCAL = 64
MAX_DOMAIN = 253
MAX_LABEL = 63
_ATEXT = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-/=?^_`{|}~")
_LDH = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-")
_INTERNATIONAL = frozenset({"Ll", "Lu", "Lt", "Lo", "Lm", "Mn", "Mc", "Nd"})
_NUMBER = re.compile("[0-9]+")


def is_address(text: str) -> bool:
    local, at, domain = text.rpartition("@")
    return bool(at) and _is_local_part(local) and _is_domain(domain)


def _is_local_part(local: str) -> bool:
    return len(local) <= MAX_LOCAL and all(_is_made_of(atom, _ATEXT) for atom in local.split("."))


def _is_domain(domain: str) -> bool:
    labels = domain.split(".")
    return (
        len(labels) > 1
        and all(_is_label(label) for label in labels)
        and sum(len(_in_ascii(label)) + 1 for label in labels) - 1 <= MAX_DOMAIN
        and _NUMBER.fullmatch(labels[-1]) is None  # an IP address
    )


def _is_label(label: str) -> bool:
    return (
        _is_made_of(label, _LDH)
        and not label.startswith("-")
        and not label.endswith("-")
        and len(label) <= MAX_LABEL
        and len(_in_ascii(label)) <= MAX_LABEL
    )


def _is_made_of(text: str, allowed: frozenset[str]) -> bool:
    """Whether a non-empty text has only these characters, or letters, marks and digits of other alphabets."""
    return text != "" and all(
        each in allowed or (not each.isascii() and unicodedata.category(each) in _INTERNATIONAL) for each in text
    )


def _in_ascii(label: str) -> str:
    """The label in DNS form (Punycode)."""
    return label if label.isascii() else "xn--" + label.encode("punycode").decode("ascii")
