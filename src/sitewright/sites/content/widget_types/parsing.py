"""Parse the text of a widget's value according to the value's type."""

import re
from collections.abc import Callable
from datetime import date
from typing import Any

import msgspec

from sitewright.sites.content.media_names import MEDIA
from sitewright.sites.content.schemas import WidgetTypeItem, WidgetTypeValue

ParsedValue = str | int | bool | list[dict[str, str]]
DATA_IMAGE = re.compile(r"data:image/(?:avif|gif|jpeg|png|svg\+xml|webp)[;,]", re.IGNORECASE)
"""The start of an inline image (data URL) of a type in which browsers run no scripts."""

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_INTEGER = re.compile(r"-?[0-9]{1,9}")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_RANGE = re.compile(r"([01]?[0-9]|2[0-4])[:.]([0-5][0-9])\s*[-\u2013]\s*([01]?[0-9]|2[0-4])[:.]([0-5][0-9])")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")
DAYS = ("mo", "tu", "we", "th", "fr", "sa", "su")
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


def _choice(about: WidgetTypeValue | WidgetTypeItem, text: str) -> str:
    if text not in about.choices:
        raise ValueError(f"must be one of {', '.join(about.choices)}")
    return text


def _date(_about: WidgetTypeValue | WidgetTypeItem, text: str) -> str:
    """A day as ISO 8601 writes it; empty where there is none."""
    day = text.strip()
    if day and not _DATE.fullmatch(day):
        raise ValueError("a date is written as 2026-12-31")
    return day and date.fromisoformat(day).isoformat()


def _days(_about: WidgetTypeValue | WidgetTypeItem, text: str) -> str:
    """Return the days in the order of the week, with commas: `mo-we,sa` becomes `mo,tu,we,sa`."""
    found: set[str] = set()
    for part in filter(None, (each.strip().lower() for each in text.split(","))):
        first, _, last = part.partition("-")
        ends = (first.strip(), (last or first).strip())
        if not set(ends) <= set(DAYS):
            raise ValueError(f"days are {', '.join(DAYS)}, or a range such as mo-fr")
        start, end = (DAYS.index(day) for day in ends)
        length = (end - start) % len(DAYS) + 1  # a range may pass the end of the week
        found |= {DAYS[(start + number) % len(DAYS)] for number in range(length)}
    return ",".join(day for day in DAYS if day in found)


def _times(_about: WidgetTypeValue | WidgetTypeItem, text: str) -> str:
    """Return ranges of times, with two digits and commas: `9:00 - 12:30` becomes `09:00-12:30`."""
    ranges = []
    for part in filter(None, (each.strip() for each in text.split(","))):
        found = _RANGE.fullmatch(part)
        if found is None:
            raise ValueError("times are written as 09:00-12:30, with commas between ranges")
        ranges.append(f"{found[1]:0>2}:{found[2]}-{found[3]:0>2}:{found[4]}")
    return ",".join(ranges)


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
    if item.type in ("flag", "choice") and not value:  # missing
        return "0" if item.type == "flag" else item.choices[0]
    return _ITEM_PARSERS[item.type](item, value)


def _item_flag(_item: WidgetTypeItem, text: str) -> str:
    if text not in ("0", "1"):
        raise ValueError("a flag is 0 or 1")
    return text


_ITEM_PARSERS: dict[str, Callable[[WidgetTypeItem, str], str]] = {
    "text": _text,
    "richText": _text,
    "url": _url,
    "email": _text,  # forms check it; publishing leaves out what is no address, and shows the rest of the list
    "phone": _text,
    "image": _image,
    "flag": _item_flag,
    "choice": _choice,
    "date": _date,
    "days": _days,
    "times": _times,
}
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
    "date": _date,
    "days": _days,
    "times": _times,
}
