"""Adds a ready-made section: its widgets, and those in their columns, as one change."""

import msgspec

from sitewright.kit.problems import Invalid
from sitewright.sites.content.changes.images.rows import Scope
from sitewright.sites.content.changes.requests import AddSection
from sitewright.sites.content.changes.widget_operations import insert_widgets, new_name, position_at, siblings_of
from sitewright.sites.content.changes.work import Work, check_fields
from sitewright.sites.content.schemas import MAIN_ZONE
from sitewright.sites.content.sections.schemas import Section, SectionBlock
from sitewright.sites.content.sections.service import find_section
from sitewright.sites.content.widgets import service as widgets
from sitewright.sites.content.widgets import store
from sitewright.sites.content.widgets.copies import NewWidgetRow
from sitewright.sites.content.widgets.store import Placement

COLLECTION = "widgets"
OPENING_HOURS, HOURS = "widget.openingHours", "hours"


async def add_section(work: Work, change: AddSection) -> str:
    zone = (change.page_ref, MAIN_ZONE)
    rows = await work.recorder.watch(Scope(zones=[zone]))
    check_fields(await widgets.check_page_ref(work.tx, work.site.ref, {"page_ref": change.page_ref}))
    section = find_section(change.section, work.editor.language)
    if section is None:
        message = "is not a ready-made section; GET /sections lists them"
        raise Invalid.fields({"change.section": {"invalidSection": message}})
    siblings = list((await siblings_of(work, rows, zone)).values())
    place = Placement(*zone, position_at(siblings, change.position))
    added = await _with_own_hours(work, rows_of(section, place.position))
    await insert_widgets(work, change.page_ref, added, place)
    return section.name


async def _with_own_hours(work: Work, rows: list[NewWidgetRow]) -> list[NewWidgetRow]:
    """A business has its opening hours once: those that its site shows already replace the ready-made ones."""
    if not any(row.type == OPENING_HOURS for row in rows):
        return rows
    own = await store.find_value(work.tx, work.site.ref, OPENING_HOURS, HOURS)
    if own is None:
        return rows
    return [
        msgspec.structs.replace(row, values=row.values | {HOURS: own}) if row.type == OPENING_HOURS else row
        for row in rows
    ]


def rows_of(section: Section, position: int) -> list[NewWidgetRow]:
    """The widgets of a section from a position on, with names that are free."""
    rows = []
    for index, widget in enumerate(section.widgets):
        outer = _row(MAIN_ZONE, widget, position + index)
        rows.append(outer)
        own_id = f"{MAIN_ZONE}__{outer.name}"
        for number, column in enumerate(widget.columns):
            rows += [_row(f"{own_id}__{number}", each, place) for place, each in enumerate(column)]
    return rows


def _row(parent_id: str, block: SectionBlock, position: int) -> NewWidgetRow:
    return NewWidgetRow(parent_id, COLLECTION, new_name(block.type), block.type, position, block.values)
