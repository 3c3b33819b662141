"""Takes the images of what a change touches."""

import msgspec

from sitewright.kit.db import Transaction
from sitewright.sites.content.changes.images import store
from sitewright.sites.content.changes.images.rows import (
    PAGES,
    SITE,
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


class Recorder:
    """Reads the rows of a scope before a change, and again after it."""

    def __init__(self, tx: Transaction, site: Site) -> None:
        self._tx, self._site = tx, site
        self._scope, self._rows = Scope(), Rows()
        self._template_ref = site.template_ref
        self._created_pages: list[int] = []
        self._created_widgets: list[int] = []

    async def watch(self, scope: Scope) -> Rows:
        """Read the rows that the change may touch; call it once, before the change."""
        self._scope = scope
        self._rows = await read_rows(self._tx, self._site, scope, self._template_ref)
        return self._rows

    def created(self, *, pages: list[int] | None = None, widgets: list[int] | None = None) -> None:
        """The change created these."""
        self._created_pages += pages or []
        self._created_widgets += widgets or []

    def chose_template(self, template_ref: int) -> None:
        self._template_ref = template_ref

    async def finish(self) -> Recorded:
        """Read the rows again, by the refs found before, and compare."""
        read = msgspec.structs.replace(
            self._scope,
            pages=[*self._scope.pages, *self._created_pages],
            widgets=[*map(int, self._rows.get(WIDGETS, {})), *self._created_widgets],
            widgets_of_pages=[],
            inside=None,
        )
        rows = await read_rows(self._tx, self._site, read, self._template_ref)
        before, after = difference(self._rows, rows)
        return Recorded(before, after, rows, _touched(read, before, after))


async def read_rows(tx: Transaction, site: Site, scope: Scope, template_ref: int | None) -> Rows:
    rows = await store.read_rows(tx, site.ref, scope)
    return rows | ({SITE: {"site": {"template_ref": template_ref}}} if scope.template else {})


def _touched(read: Scope, before: Image, after: Image) -> Scope:
    """Narrow the scope to the widgets that the change did touch."""
    keys = {key for image in (before, after) for key in image.get(WIDGETS, {})}
    keys |= {key.partition(" ")[0] for image in (before, after) for key in image.get("values", {})}
    deleted_pages = {int(ref) for ref, row in after.get(PAGES, {}).items() if row is None}
    gone = {
        key
        for key, row in before.get(WIDGETS, {}).items()
        if row is not None and after[WIDGETS][key] is None and row["page_ref"] in deleted_pages
    }
    widgets = [ref for ref in read.widgets if str(ref) in keys - gone]
    is_placed = bool(after.get(ZONES)) or any(_is_placed(row) for row in after.get(WIDGETS, {}).values())
    pages = [ref for ref in read.pages if str(ref) in after.get(PAGES, {})]
    return msgspec.structs.replace(read, pages=pages, widgets=widgets, zones=read.zones if is_placed else [])


def _is_placed(row: Row | None) -> bool:
    return row is None or not {"page_ref", "parent_id", "position"}.isdisjoint(row)
