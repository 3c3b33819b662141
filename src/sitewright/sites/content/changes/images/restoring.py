"""Writes an image back, where nobody else has changed its rows: undo writes the one before, redo the one after."""

import re
from collections.abc import Iterable
from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction
from sitewright.sites.content.changes.images import store
from sitewright.sites.content.changes.images.rows import (
    GLOBALS,
    PAGES,
    STATICS,
    VALUES,
    WIDGETS,
    ZONES,
    Image,
    Row,
    Rows,
    Scope,
)
from sitewright.sites.content.pages import service as pages

TABLE_NAMES = {
    PAGES: "pages",
    WIDGETS: "widgets",
    VALUES: "widget_values",
    GLOBALS: "global_values",
    STATICS: "static_values",
}
"""In the order in which rows are written."""
ORDER = {PAGES: {"display_order"}, WIDGETS: {"position"}}
"""Columns that depend on the neighbors: a difference is no conflict."""
KEYS = {PAGES: {"request_key"}, WIDGETS: {"page_ref", "parent_id", "name"}}
"""Columns of a unique key."""
_COLUMN = re.compile(r"(.+)__[0-9]+")


class RowChanged(Exception):
    """Somebody else changed a row since: it names the table and key."""

    def __init__(self, table: str, key: str) -> None:
        self.table, self.key = table, key
        super().__init__(f"{table} {key}")


class PlaceTaken(Exception):
    """A row cannot come back: its name or address is taken, its page, parent or columns are gone, or its parent is
    below it.

    The transaction must not be used any more.
    """


async def write_back(
    tx: Transaction, site_ref: int, expected: Image, target: Image, subjects: Iterable[int], now: datetime
) -> None:
    """Replace `expected` by `target`; raises RowChanged or PlaceTaken.

    `subjects` are the pages that the change was about.
    """
    current = await store.read_rows(tx, site_ref, scope_of(expected, target))
    subject_keys = {str(ref) for ref in subjects}
    _check(current, expected, subject_keys)
    await _check_contained(tx, site_ref, current, target)
    try:
        for table in reversed(TABLE_NAMES):
            await _delete(tx, table, current, target)
        for table in TABLE_NAMES:
            await _write(tx, site_ref, table, current, _Step(expected, target, subject_keys), now)
    except store.Conflict as error:
        raise PlaceTaken from error
    await _set_order(tx, current, expected, target)
    await _check_orphans(tx, current, target)
    await _check_parents(tx, site_ref, target)


def scope_of(*images: Image) -> Scope:
    """The rows of images."""
    keys = {table: {key for image in images for key in image.get(table, {})} for table in (*TABLE_NAMES, ZONES)}
    valued = {int(key.partition(" ")[0]) for key in keys[VALUES]}
    return Scope(
        pages=[int(key) for key in keys[PAGES]],
        widgets=list(valued),
        rows=[int(key) for key in keys[WIDGETS] | keys[ZONES]],
        global_values=list(keys[GLOBALS]),
        static_values=[static_key(key) for key in keys[STATICS]],
    )


def static_key(key: str) -> tuple[str, str]:
    return msgspec.json.decode(key, type=tuple[str, str])


def _check(current: Rows, expected: Image, subjects: set[str]) -> None:
    for table in TABLE_NAMES:
        for key, row in expected.get(table, {}).items():
            present = current[table].get(key)
            if (row is None) != (present is None):
                raise RowChanged(table, key)
            if row is not None and present is not None:
                ignored = ORDER.get(table, set()) | ({"parent_id"} if table == PAGES and key not in subjects else set())
                if any(present[name] != value for name, value in row.items() if name not in ignored):
                    raise RowChanged(table, key)


async def _check_contained(tx: Transaction, site_ref: int, current: Rows, target: Image) -> None:
    """Refuse to delete what contains something that others added since, and to move it away from that."""
    widgets = target.get(WIDGETS, {})
    deleted_pages = [int(key) for key, row in target.get(PAGES, {}).items() if row is None]
    if deleted_pages:
        deleted = [int(key) for key, row in widgets.items() if row is None]
        _refuse_other(await store.find_other_widget(tx, site_ref, deleted, pages=deleted_pages))
    own_ids = [
        (row["page_ref"], f"{row['parent_id']}__{row['name']}")
        for key, row in current[WIDGETS].items()
        if key in widgets and _leaves_place(widgets[key])
    ]
    if own_ids:
        _refuse_other(await store.find_other_widget(tx, site_ref, [*map(int, widgets)], own_ids=own_ids))
    if deleted_pages and await store.has_other_children(tx, site_ref, deleted_pages):
        raise RowChanged(PAGES, str(deleted_pages[0]))


def _leaves_place(target: Row | None) -> bool:
    """Whether a widget has another own id in the target: what others put inside would stay behind, and be hidden."""
    return target is None or not KEYS[WIDGETS].isdisjoint(target)


def _refuse_other(widget_ref: int | None) -> None:
    if widget_ref is not None:
        raise RowChanged(WIDGETS, str(widget_ref))


async def _delete(tx: Transaction, table: str, current: Rows, target: Image) -> None:
    """Delete rows that do not exist in the target, or are others there: a value that was replaced has another ref."""
    present = current[table]
    gone = [key for key, row in target.get(table, {}).items() if row is None or _is_other(present.get(key), row)]
    refs = [present[key]["ref"] if "ref" in present[key] else int(key) for key in gone]
    if refs:
        await store.delete_rows(tx, TABLE_NAMES[table], refs)


def _is_other(present: Row | None, target: Row) -> bool:
    return present is not None and "ref" in target and "ref" in present and target["ref"] != present["ref"]


async def _write(tx: Transaction, site_ref: int, table: str, current: Rows, step: "_Step", now: datetime) -> None:
    inserted, updated, rekeyed = [], [], []
    for key, row in step.target.get(table, {}).items():
        present = current[table].get(key)
        if row is None:
            continue
        if present is None or _is_other(present, row):
            inserted.append(_complete(table, key, (present or {}) | row, now))
            continue
        wanted = row if table != PAGES or key in step.subjects else _kept(present, step.expected[table][key], row)
        updated.append(_complete(table, key, present | wanted, now))
        if not KEYS.get(table, set()).isdisjoint(wanted):
            rekeyed.append(int(key))
    if len(rekeyed) > 1:
        await store.park_keys(tx, TABLE_NAMES[table], rekeyed)
    if updated:
        await store.update_rows(tx, TABLE_NAMES[table], updated)
    if inserted:
        await store.insert_rows(tx, TABLE_NAMES[table], site_ref, inserted)


class _Step(msgspec.Struct, frozen=True):
    expected: Image
    target: Image
    subjects: set[str]


def _kept(present: Row, expected: Row | None, target: Row) -> Row:
    """The place of a neighboring page, without columns that somebody else changed since."""
    seen = expected or {}
    others = {name for name in ("parent_id", "display_order") if name in seen and present[name] != seen[name]}
    return {name: value for name, value in target.items() if name not in others}


def _complete(table: str, key: str, row: Row, now: datetime) -> Row:
    """With the columns that the key stands for."""
    if table in (PAGES, WIDGETS):
        return row | {"ref": int(key)}
    if table == VALUES:
        ref, _, name = key.partition(" ")
        return row | {"widget_ref": int(ref), "name": name}
    if table == GLOBALS:
        return row | {"name": key}
    static_widget_id, name = static_key(key)
    return row | {"static_widget_id": static_widget_id, "name": name, "updated_at": now}


async def _set_order(tx: Transaction, current: Rows, expected: Image, target: Image) -> None:
    """Put siblings back where they were, except those that moved since."""
    positions = {}
    for key, row in target.get(ZONES, {}).items():
        present, seen = current[WIDGETS].get(key), expected[ZONES][key]
        if row is not None and seen is not None and present is not None and present["position"] == seen["position"]:
            positions[int(key)] = row["position"]
    if positions:
        await store.set_positions(tx, positions)


async def _check_orphans(tx: Transaction, current: Rows, target: Image) -> None:
    """Refuse to put widgets into columns that do not exist any more."""
    rows = {
        key: current[WIDGETS].get(key, {}) | row
        for key, row in target.get(WIDGETS, {}).items()
        if row is not None and not {"page_ref", "parent_id"}.isdisjoint(row)
    }
    places = [
        (int(key), row["page_ref"], column[1])
        for key, row in rows.items()
        if (column := _COLUMN.fullmatch(row["parent_id"]))
    ]
    orphan = await store.find_orphan(tx, places) if places else None
    if orphan is not None:
        raise PlaceTaken


async def _check_parents(tx: Transaction, site_ref: int, target: Image) -> None:
    """Refuse to put pages below one that does not exist any more, or that is below them."""
    placed = [int(key) for key, row in target.get(PAGES, {}).items() if row is not None and "parent_id" in row]
    if placed and not await pages.are_placed(tx, site_ref, placed):
        raise PlaceTaken
