"""Reduces an SVG to harmless elements, attributes and styles, and determines its size."""

import re

import msgspec

from sitewright.sites.media.pictures.limits import MAX_VARIANT_SIDE, PictureTooLarge
from sitewright.sites.media.pictures.svg.allowed import (
    ANIMATED_ATTRIBUTES,
    ANIMATION,
    ATTRIBUTES,
    ELEMENTS,
    HOLDING_TEXT,
    REFERRING,
    REPLACED,
    TIMING,
)
from sitewright.sites.media.pictures.svg.expansion import check_expansion
from sitewright.sites.media.pictures.svg.styles import declarations, is_harmless, stylesheet
from sitewright.sites.media.pictures.svg.tree import Element, parse, serialize

DEFAULT_SIZE = (300.0, 150.0)
"""What browsers take for an SVG without a size."""
PIXELS = {"": 1.0, "px": 1.0, "pt": 96 / 72, "pc": 16.0, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96.0}
_LENGTH = re.compile(r"\s*\+?(\d{0,9}\.?\d{1,9})(px|pt|pc|mm|cm|in)?\s*")
_NAME = re.compile(r"[A-Za-z_][\w.:-]{0,199}")


class Svg(msgspec.Struct, frozen=True):
    data: bytes
    width: int
    height: int


def sanitize(data: bytes) -> Svg:
    """Raises `PictureUnreadable` or `PictureTooLarge`."""
    root = _clean(parse(data))
    check_expansion(root)
    width, height = _size(root)
    if max(width, height) > MAX_VARIANT_SIDE:
        raise PictureTooLarge(f"The SVG is {width} x {height} pixels large; {MAX_VARIANT_SIDE} is the limit of a side.")
    root.attributes |= {"width": str(width), "height": str(height)}
    root.attributes.setdefault("viewBox", f"0 0 {width} {height}")  # without it, browsers do not scale the content
    return Svg(serialize(root), width, height)


def _clean(element: Element) -> Element:
    """The element with what is allowed of its attributes and content."""
    clean = Element(REPLACED.get(element.name, element.name), _clean_attributes(element))
    for child in element.children:
        if isinstance(child, str):
            if clean.name in HOLDING_TEXT:
                clean.children.append(child)
        elif REPLACED.get(child.name, child.name) in ELEMENTS and _is_harmless_animation(child):
            clean.children.append(_clean(child))
    if clean.name == "style":
        clean.attributes.clear()
        clean.children = [stylesheet("".join(child for child in clean.children if isinstance(child, str)))]
    return clean


def _is_harmless_animation(element: Element) -> bool:
    if element.name not in {"animate", "set", "animateTransform"}:
        return True
    return element.attributes.get("attributeName", "").strip() in ANIMATED_ATTRIBUTES


def _clean_attributes(element: Element) -> dict[str, str]:
    allowed = ATTRIBUTES | TIMING if element.name in ANIMATION else ATTRIBUTES
    kept = {}
    for name, value in element.attributes.items():
        if name in allowed and (cleaned := _clean_value(element.name, name, value)):
            kept[name] = cleaned
    return kept


def _clean_value(element: str, name: str, value: str) -> str:
    """The value, or nothing where it could load, follow or run something."""
    value = value.strip()
    if name == "style":
        return declarations(value)
    if name == "href":
        return value if element in REFERRING and value[:1] == "#" and _NAME.fullmatch(value[1:]) else ""
    if name in {"id", "class", "aria-label", "role"}:
        return value
    return value if is_harmless(value) else ""


def _size(root: Element) -> tuple[int, int]:
    """From width and height, or the viewBox, in whole pixels."""
    width, height = (_pixels(root.attributes.get(side, "")) for side in ("width", "height"))
    box_width, box_height = _view_box(root.attributes.get("viewBox", ""))
    if width is None and height is None:
        width, height = box_width, box_height
    elif width is None and height is not None:
        width = height * box_width / box_height
    elif height is None and width is not None:
        height = width * box_height / box_width
    return max(1, round(width or 0)), max(1, round(height or 0))


def _pixels(length: str) -> float | None:
    match = _LENGTH.fullmatch(length)
    return float(match[1]) * PIXELS[match[2] or ""] if match and float(match[1]) > 0 else None


def _view_box(value: str) -> tuple[float, float]:
    numbers = re.split(r"[\s,]+", value.strip())
    try:
        _, _, width, height = (float(number) for number in numbers)
    except ValueError:
        return DEFAULT_SIZE
    return (width, height) if 0 < width < 1e9 and 0 < height < 1e9 else DEFAULT_SIZE
