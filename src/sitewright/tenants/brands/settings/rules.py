"""The rules for single values of a brand's settings, by their names in the catalogue file and the API."""

import re
from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias
from urllib.parse import urlsplit
from zoneinfo import available_timezones

from sitewright.kit.addresses import is_address
from sitewright.kit.mail.message import parse_sender
from sitewright.kit.ui.pictures import parse_data_url

Rule: TypeAlias = tuple[Callable[[Any], bool], str]
"""Whether a value is valid, and what it must be. For a list: each of its values."""
_COLOR = re.compile(r"#?[0-9A-Fa-f]{6}")
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_HOST = re.compile(r"(?=.{1,253}$)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*")


def matches(fullmatch: Callable[[str], re.Match[str] | None]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str | int) and fullmatch(str(value)) is not None


def color(value: str | None) -> str | None:
    """Normalize a color to `#rrggbb` in lower case."""
    return None if value is None else f"#{value.removeprefix('#').lower()}"


def _is_url(value: Any) -> bool:
    try:
        parts = urlsplit(str(value))
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and " " not in str(value)


@cache
def time_zones() -> frozenset[str]:
    return frozenset(available_timezones())


URL: Rule = (_is_url, "an absolute http or https URL")
HOST: Rule = (matches(_HOST.fullmatch), "a host name in lower case")
LABEL: Rule = (
    matches(_LABEL.fullmatch),
    "one label of a host name: lower-case letters, digits and hyphens, without a dot",
)
PICTURE: Rule = (
    lambda value: parse_data_url(str(value)) is not None,
    "an SVG, PNG, WebP, JPEG or ICO file of at most 64 KiB, named by its path or as a data: URL",
)
RULES: dict[str, Rule] = {
    "timeZone": (lambda value: isinstance(value, str) and value in time_zones(), "a time zone like Europe/Berlin"),
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
    "accentColour": (matches(_COLOR.fullmatch), 'a color in quotes, like "#0b5cad"'),
    "logo": PICTURE,
    "favicon": PICTURE,
    "mailSender": (lambda value: parse_sender(str(value)) is not None, "an address, or Name <address>"),
    "allowedLinkHosts": HOST,
    "reservedNames": LABEL,
    "allowedReservedNames": LABEL,
}
