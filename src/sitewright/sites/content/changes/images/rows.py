"""Rows of a site's content by table and key, and the difference between two readings of them."""

import zlib
from typing import Any

import msgspec

Row = dict[str, Any]
Rows = dict[str, dict[str, Row]]
"""Rows by table, then by key: a ref, the name of a global value, the widget's ref and the name of a value of a widget
(`12 text`), the JSON list of id and name of a static value."""
Image = dict[str, dict[str, Row | None]]
"""The rows that a change touched: those that it created or deleted as a whole (None: does not exist), of others the
columns that it changed."""
PAGES, WIDGETS, VALUES, ZONES = "pages", "widgets", "values", "zones"
GLOBALS, STATICS, SITE = "globals", "statics", "site"
TABLES = (PAGES, WIDGETS, VALUES, ZONES, GLOBALS, STATICS, SITE)
LARGE = 256 * 1024
"""Bytes of JSON, or of a compressed image, that are not decoded on the event loop."""
_IMAGE = msgspec.json.Decoder(Image)


class Scope(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Which rows of a site's content a change may touch."""

    pages: list[int] = []
    every_page: bool = False
    """Parent and order of all pages."""
    widgets: list[int] = []
    """These widgets with their values."""
    widgets_of_pages: list[int] = []
    """All widgets of these pages, with their values."""
    inside: tuple[int, str] | None = None
    """The widgets in the columns of a widget, by its page and own id, with their values."""
    rows: list[int] = []
    """These widgets without their values."""
    zones: list[tuple[int, str]] = []
    """The order of the widgets of these parents, by page and parent id."""
    global_values: list[str] = []
    static_values: list[tuple[str, str]] = []
    """By static widget id and name."""
    every_value: bool = False
    """All global and static values."""
    template: bool = False


def difference(before: Rows, after: Rows) -> tuple[Image, Image]:
    """Return what differs, as it was before and as it is after."""
    images: tuple[Image, Image] = ({}, {})
    for table in TABLES:
        old, new = before.get(table, {}), after.get(table, {})
        for key in dict.fromkeys([*old, *new]):
            pair = _differing(old.get(key), new.get(key))
            if pair is not None and not (table == ZONES and (None in pair or key in _deep(before, after))):
                for image, row in zip(images, pair, strict=True):
                    image.setdefault(table, {})[key] = row
    return images


def _deep(before: Rows, after: Rows) -> set[str]:
    """Widgets whose own rows were read: their place is compared there."""
    return {*before.get(WIDGETS, {}), *after.get(WIDGETS, {})}


def _differing(old: Row | None, new: Row | None) -> tuple[Row | None, Row | None] | None:
    if old == new:
        return None
    if old is None or new is None:
        return old, new
    names = [name for name in new if name in old and new[name] != old[name]]
    return {name: old[name] for name in names}, {name: new[name] for name in names}


def joined(first: Image, second: Image) -> Image:
    """Return one image of both; where both have a column, the first one's."""
    whole = {table: dict(rows) for table, rows in second.items()}
    for table, rows in first.items():
        for key, row in rows.items():
            other = whole.setdefault(table, {}).get(key)
            whole[table][key] = row if row is None or other is None else other | row
    return whole


def compress(image: Image) -> bytes:
    return zlib.compress(msgspec.json.encode(image), 6)


def decompress(image: bytes) -> Image:
    return _IMAGE.decode(zlib.decompress(image))


def size_of(image: Image) -> int:
    """An upper bound of the bytes that writing the image adds to the content."""
    return len(msgspec.json.encode(image))
