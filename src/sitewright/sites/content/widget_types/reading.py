"""What the text of a widget's value means, by the type the value has."""

import re
from collections.abc import Callable
from typing import Any

import msgspec

from sitewright.sites.content.schemas import WidgetTypeItem, WidgetTypeValue

Read = str | int | bool | list[dict[str, str]]
PICTURE = re.compile(r"data:image/(?:avif|gif|jpeg|png|svg\+xml|webp)[;,]", re.IGNORECASE)
"""How a picture that is written out in place of its address begins. Of these kinds, nothing in one runs."""

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_INTEGER = re.compile(r"-?[0-9]{1,9}")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")
SCHEMES = frozenset({"http:", "https:", "mailto:", "tel:"})


def read_value(about: WidgetTypeValue, text: str) -> Read:
    """Raises ValueError for a text that means nothing to this type."""
    return _READERS[about.type](about, text)


def _text(_about: WidgetTypeValue | WidgetTypeItem, text: str) -> str:
    return text


def _url(_about: WidgetTypeValue | WidgetTypeItem, text: str) -> str:
    """Browsers skip blanks and controls in an address before they look for its scheme, so none may be inside."""
    address = text.strip()
    if _CONTROLS.search(address):
        raise ValueError("an address holds no control characters")
    scheme = _SCHEME.match(address)
    if scheme is not None and scheme[0].lower() not in SCHEMES:
        raise ValueError("an address begins with http:, https:, mailto:, tel:, or has no scheme")
    return address


def _image(about: WidgetTypeValue | WidgetTypeItem, text: str) -> str:
    return text.strip() if PICTURE.match(text.strip()) and not _CONTROLS.search(text.strip()) else _url(about, text)


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
    """Each object with every field of `items`; a field that is missing is empty."""
    try:
        objects = msgspec.json.decode(text, type=list[dict[str, Any]])
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError):
        raise ValueError("must be a JSON list of objects") from None
    return [{item.name: _item(item, each.get(item.name, "")) for item in about.items} for each in objects]


def _item(item: WidgetTypeItem, value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{item.name} must be text")  # noqa: TRY004 - all that cannot be read is a ValueError
    return _ITEM_READERS[item.type](item, value)


_ITEM_READERS: dict[str, Callable[[WidgetTypeItem, str], str]] = {"text": _text, "url": _url, "image": _image}
_READERS: dict[str, Callable[[WidgetTypeValue, str], Read]] = {
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
