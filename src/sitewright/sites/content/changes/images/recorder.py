"""Takes the images of what a change touches."""

import asyncio
from typing import Any

import msgspec

from sitewright.kit.db import Transaction
from sitewright.sites.content.changes.images import store
from sitewright.sites.content.changes.images.rows import (
    GLOBALS,
    PAGES,
    SITE,
    STATICS,
    VALUES,
    WIDGETS,
    ZONES,
    Image,
    Row,
    Rows,
    Scope,
    difference,
)
from sitewright.sites.sites.service import Site


class Recorded(msgspec.Struct, frozen=True):
    """What a change did."""

    before: Image
    after: Image
    rows: Rows
    """The rows of `scope` as they are now."""
    scope: Scope
    """What was touched, by refs and names."""
    is_whole: bool = False
    """Whether it concerns the whole content, and may be large."""


class Recorder:
    """Reads the rows of a scope before a change, and again after it."""

    def __init__(self, tx: Transaction, site: Site) -> None:
        self._tx, self._site = tx, site
        self._scope, self._rows = Scope(), Rows()
        self._template_ref = site.template_ref
        self._created_pages: list[int] = []
        self._created_widgets: list[int] = []
        self._pages_now: list[int] | None = None

    async def watch(self, scope: Scope) -> Rows:
        """Read the rows that the change may touch; call it once, before the change."""
        self._scope = scope
        self._rows = await read_rows(self._tx, self._site, scope, self._template_ref)
        return self._rows

    def created(self, *, pages: list[int] | None = None, widgets: list[int] | None = None) -> None:
        """The change created these."""
        self._created_pages += pages or []
        self._created_widgets += widgets or []

    def replaced(self, pages: list[int]) -> None:
        """The change replaced the whole content: the site has these pages now."""
        self._pages_now = pages

    def chose_template(self, template_ref: int) -> None:
        self._template_ref = template_ref

    async def finish(self) -> Recorded:
        """Read the rows again, by the refs found before, and compare."""
        pages_now = self._pages_now or []
        read = msgspec.structs.replace(
            self._scope,
            pages=list(dict.fromkeys([*self._scope.pages, *self._created_pages, *pages_now])),
            widgets=[*map(int, self._rows.get(WIDGETS, {})), *self._created_widgets],
            widgets_of_pages=pages_now,
            inside=None,
        )
        rows = await read_rows(self._tx, self._site, read, self._template_ref)
        is_whole = self._pages_now is not None
        images = asyncio.to_thread(difference, self._rows, rows) if is_whole else None
        before, after = difference(self._rows, rows) if images is None else await images
        return Recorded(before, after, rows, _touched(read, rows, before, after), is_whole)


async def read_rows(tx: Transaction, site: Site, scope: Scope, template_ref: int | None) -> Rows:
    rows = await store.read_rows(tx, site.ref, scope)
    return rows | ({SITE: {"site": {"template_ref": template_ref}}} if scope.template else {})


def _touched(read: Scope, rows: Rows, before: Image, after: Image) -> Scope:
    """Narrow the scope to what the change did touch."""
    keys = {key for image in (before, after) for key in image.get(WIDGETS, {})}
    keys |= {key.partition(" ")[0] for image in (before, after) for key in image.get(VALUES, {})}
    deleted_pages = {int(ref) for ref, row in after.get(PAGES, {}).items() if row is None}
    gone = {
        key
        for key, row in before.get(WIDGETS, {}).items()
        if row is not None and after[WIDGETS][key] is None and row["page_ref"] in deleted_pages
    }
    touched = keys - gone
    found = dict.fromkeys([*read.widgets, *map(int, rows.get(WIDGETS, {}))])
    is_placed = bool(after.get(ZONES)) or any(_is_placed(row) for row in after.get(WIDGETS, {}).values())
    values: dict[str, Any] = {}
    if read.every_value:
        names = [msgspec.json.decode(key, type=tuple[str, str]) for key in after.get(STATICS, {})]
        values = {"every_value": False, "global_values": list(after.get(GLOBALS, {})), "static_values": names}
    return msgspec.structs.replace(
        read,
        pages=[ref for ref in read.pages if str(ref) in after.get(PAGES, {})],
        widgets=[ref for ref in found if str(ref) in touched],
        widgets_of_pages=sorted(deleted_pages),
        zones=read.zones if is_placed else [],
        **values,
    )


def _is_placed(row: Row | None) -> bool:
    return row is None or not {"page_ref", "parent_id", "position"}.isdisjoint(row)
