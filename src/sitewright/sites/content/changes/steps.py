"""Undoes and redoes changes: writes back what a change touched, as it was before or after it."""

import asyncio
from typing import Literal

import msgspec

from sitewright.kit import audit, clock
from sitewright.kit.db import Transaction
from sitewright.settings import Settings
from sitewright.sites.content import usage
from sitewright.sites.content.access import lock_site_content
from sitewright.sites.content.changes import presenting, store
from sitewright.sites.content.changes.errors import ContentChanged, NothingToRedo, NothingToUndo
from sitewright.sites.content.changes.images.restoring import PlaceTaken, RowChanged, write_back
from sitewright.sites.content.changes.images.rows import (
    LARGE,
    PAGES,
    SITE,
    WIDGETS,
    Image,
    Scope,
    decompress,
    size_of,
)
from sitewright.sites.content.changes.recording import evict
from sitewright.sites.content.changes.requests import StepRequest
from sitewright.sites.content.changes.schemas import ChangeResponse, TemplateItem
from sitewright.sites.content.changes.store import Images, NewChange
from sitewright.sites.content.changes.work import Editor, changed
from sitewright.sites.content.redirects import service as redirects
from sitewright.sites.sites import service as sites
from sitewright.sites.sites.service import Site

PLACE_TAKEN = (
    "its name or address is taken by another item since, its page, parent or columns were deleted, or its parent is"
    " below it now. Nothing was written."
)
Step = Literal["undo", "redo"]


async def undo(
    tx: Transaction, settings: Settings, editor: Editor, site_ref: int, request: StepRequest
) -> ChangeResponse:
    """Undo the editor's latest change, or the one that the request names."""
    return await _step(tx, settings, editor, site_ref, request, "undo")


async def redo(
    tx: Transaction, settings: Settings, editor: Editor, site_ref: int, request: StepRequest
) -> ChangeResponse:
    """Redo what the editor has undone last, or the change that the request names."""
    return await _step(tx, settings, editor, site_ref, request, "redo")


async def _step(
    tx: Transaction, settings: Settings, editor: Editor, site_ref: int, request: StepRequest, step: Step
) -> ChangeResponse:
    site = await lock_site_content(tx, editor.caller, site_ref, with_row=True)
    repeated = await store.find_change(tx, site_ref, request.id)
    if repeated is not None:
        return await presenting.present(tx, editor, site, repeated, repeated=1)
    images = await store.find_step(tx, site_ref, editor.author, request.number, undone=step == "redo")
    if images is None:
        raise NothingToUndo if step == "undo" else NothingToRedo
    before, after = await _decompress(images.before), await _decompress(images.after)
    expected, target = (after, before) if step == "undo" else (before, after)
    await _write(tx, settings, site, images, expected, target)
    site = await _write_template(tx, editor, site, images, expected, target)
    await _move_redirects(tx, site_ref, expected, target)
    new = NewChange(
        id=request.id,
        author=editor.author,
        session=request.session,
        made_at=clock.now(),
        kind=step,
        label=images.label,
        scope=images.scope,
        target=images.number,
    )
    number = await store.insert_change(tx, site_ref, new)
    await audit.record_by(tx, editor.caller, step, "contentChange", images.number, site=site_ref, kind=images.kind)
    await evict(tx, settings, site_ref, editor, number)
    return await presenting.present(tx, editor, site, await store.get_change(tx, site_ref, number))


async def _write(
    tx: Transaction, settings: Settings, site: Site, images: Images, expected: Image, target: Image
) -> None:
    scope = msgspec.json.decode(images.scope, type=Scope)
    for table, check in ((PAGES, usage.check_page_count), (WIDGETS, usage.check_widget_count)):
        added = _count_added(table, expected, target)
        if added > 0:
            await check(tx, settings, site.ref, added)
    try:
        await write_back(tx, site.ref, expected, target, scope.pages, clock.now())
    except RowChanged as error:
        raise await presenting.conflict(tx, site, images.label, error) from error
    except PlaceTaken as error:
        raise ContentChanged(f"{images.label}: {PLACE_TAKEN}") from error
    await usage.check_added_bytes(tx, settings, site.ref, size_of(target))


def _count_added(table: str, expected: Image, target: Image) -> int:
    """How many rows more there are afterwards."""
    pairs = [(row, expected[table][key]) for key, row in target.get(table, {}).items()]
    return sum((row is not None) - (former is not None) for row, former in pairs)


async def _decompress(image: bytes) -> Image:
    return await asyncio.to_thread(decompress, image) if len(image) > LARGE else decompress(image)


async def _write_template(
    tx: Transaction, editor: Editor, site: Site, images: Images, expected: Image, target: Image
) -> Site:
    if not (row := target.get(SITE, {}).get("site")):
        return site
    if {"template_ref": site.template_ref} != expected[SITE]["site"]:
        raise changed(TemplateItem(site.template_ref), f"{images.label}: somebody else chose another one since.")
    await sites.choose_template(tx, editor.caller, site, row["template_ref"])
    return await sites.find_site(tx, editor.caller, site.ref)


async def _move_redirects(tx: Transaction, site_ref: int, expected: Image, target: Image) -> None:
    """Pages that have another address again keep the one they had, as after an edit."""
    placed, former = _paths_in(target), _paths_in(expected)
    if placed:
        await redirects.record_moves(tx, site_ref, former, placed)


def _paths_in(image: Image) -> dict[int, str]:
    rows = image.get(PAGES, {}).items()
    return {int(ref): row["request_key"] for ref, row in rows if row is not None and "request_key" in row}
