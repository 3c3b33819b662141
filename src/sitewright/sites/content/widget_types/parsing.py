"""Parse the text of a widget's value according to the value's type."""

import re
from collections.abc import Callable
from typing import Any

import msgspec

from sitewright.sites.content.media_names import MEDIA
from sitewright.sites.content.schemas import WidgetTypeItem, WidgetTypeValue

ParsedValue = str | int | bool | list[dict[str, str]]
DATA_IMAGE = re.compile(r"data:image/(?:avif|gif|jpeg|png|svg\+xml|webp)[;,]", re.IGNORECASE)
"""The start of an inline image (data URL) of a type in which browsers run no scripts."""

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_INTEGER = re.compile(r"-?[0-9]{1,9}")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")
SCHEMES = frozenset({"http:", "https:", "mailto:", "tel:"})


def parse_value(about: WidgetTypeValue, text: str) -> ParsedValue:
    """Parse a text; raises ValueError when it is invalid for the type."""
    return _PARSERS[about.type](about, text)


def _text(_about: WidgetTypeValue | WidgetTypeItem, text: str) -> str:
    return text


def _url(_about: WidgetTypeValue | WidgetTypeItem, text: str) -> str:
    """Reject control characters, which browsers skip when they look for the URL's scheme."""
    address = text.strip()
    if _CONTROLS.search(address):
        raise ValueError("an address holds no control characters")
    scheme = _SCHEME.match(address)
    if scheme is not None and scheme[0].lower() not in SCHEMES:
        raise ValueError("an address begins with http:, https:, mailto:, tel:, or has no scheme")
    return address


def _image(about: WidgetTypeValue | WidgetTypeItem, text: str) -> str:
    """A picture of the media library (`media:<ref>`), an inline image, or the address of one."""
    if MEDIA.fullmatch(text.strip()):
        return text.strip()
    return text.strip() if DATA_IMAGE.match(text.strip()) and not _CONTROLS.search(text.strip()) else _url(about, text)


def _integer(about: WidgetTypeValue, text: str) -> int:
    if not _INTEGER.fullmatch(text.strip()):
        raise ValueError("an integer is written in digits")
    number = int(text)
    if (about.minimum is not None and number < about.minimum) or (about.maximum is not None and number > about.maximum):
        raise ValueError(f"must be from {about.minimum} to {about.maximum}")
    return number


def _flag(_about: WidgetTypeValue, text: str) -> bool:
    if text not in ("0", "1"):
        raise ValueError("a flag is 0 or 1")
    return text == "1"


def _choice(about: WidgetTypeValue, text: str) -> str:
    if text not in about.choices:
        raise ValueError(f"must be one of {', '.join(about.choices)}")
    return text


def _list(about: WidgetTypeValue, text: str) -> list[dict[str, str]]:
    """Parse a JSON list; each object has every field of `items`, and a missing field is empty."""
    try:
        objects = msgspec.json.decode(text, type=list[dict[str, Any]])
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError):
        raise ValueError("must be a JSON list of objects") from None
    return [{item.name: _item(item, each.get(item.name, "")) for item in about.items} for each in objects]


def _item(item: WidgetTypeItem, value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{item.name} must be text")  # noqa: TRY004 - every parse error is a ValueError
    return _ITEM_PARSERS[item.type](item, value)


_ITEM_PARSERS: dict[str, Callable[[WidgetTypeItem, str], str]] = {"text": _text, "url": _url, "image": _image}
_PARSERS: dict[str, Callable[[WidgetTypeValue, str], ParsedValue]] = {
    "text": _text,
    "richText": _text,
    "html": _text,
    "url": _url,
    "image": _image,
    "integer": _integer,
    "flag": _flag,
    "choice": _choice,
    "list": _list,
}
