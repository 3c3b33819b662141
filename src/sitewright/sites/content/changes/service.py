"""Makes changes of a site's content, and undoes and redoes them.

Each change is one transaction under the lock on the site's content. What it touched is recorded as two images, before
and after; undo and redo write one of them back.
"""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, Literal

import msgspec

from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.timestamps import timestamp
from sitewright.settings import Settings
from sitewright.sites.content import usage
from sitewright.sites.content.access import check_site, lock_site_content
from sitewright.sites.content.changes import (
    page_operations,
    presenting,
    section_operations,
    store,
    value_operations,
    widget_operations,
)
from sitewright.sites.content.changes.errors import ContentChanged, NothingToRedo, NothingToUndo
from sitewright.sites.content.changes.images.recorder import Recorded, Recorder
from sitewright.sites.content.changes.images.restoring import PlaceTaken, RowChanged, write_back
from sitewright.sites.content.changes.images.rows import (
    GLOBALS,
    PAGES,
    SITE,
    STATICS,
    VALUES,
    WIDGETS,
    Image,
    Row,
    Scope,
    compress,
    decompress,
    joined,
    size_of,
)
from sitewright.sites.content.changes.requests import (
    AddPage,
    AddSection,
    AddWidget,
    Change,
    ChangeRequest,
    ChangesQuery,
    ChooseTemplate,
    DeletePage,
    DeleteWidget,
    DuplicateWidget,
    EditPage,
    MovePage,
    MoveWidget,
    SetGlobalValue,
    SetStaticValue,
    SetValues,
    StepRequest,
)
from sitewright.sites.content.changes.schemas import (
    ChangeList,
    ChangeResponse,
    ListedChange,
    TemplateItem,
    WholeContent,
    WholeContentResponse,
)
from sitewright.sites.content.changes.store import Images, NewChange
from sitewright.sites.content.changes.work import Editor, Work, changed
from sitewright.sites.content.redirects import service as redirects
from sitewright.sites.sites import service as sites
from sitewright.sites.sites.service import Site

__all__ = ["ChangeList", "ChangeRequest", "ChangeResponse", "ChangesQuery", "ContentChanged", "Editor", "NothingToRedo"]
__all__ += ["NothingToUndo", "StepRequest", "WholeContentResponse", "list_changes", "make_change", "read_content"]
__all__ += ["erase_user", "redo", "undo"]

MIB = 1024 * 1024
MERGE_SECONDS = 30
LISTED = 200
IDS_KEPT = 5000
"""How many changes are remembered for repeated requests, besides those that can be undone."""
PRUNE_EVERY = 50
MERGED: dict[type[msgspec.Struct], str] = {SetValues: VALUES, SetGlobalValue: GLOBALS, SetStaticValue: STATICS}
"""The changes that typing makes, by the table that they write to."""
PLACE_TAKEN = (
    "its name or address is taken by another item since, or its page or columns were deleted. Nothing was written."
)
Step = Literal["undo", "redo"]
Operation = Callable[[Work, Any], Awaitable[str]]
OPERATIONS: dict[type[msgspec.Struct], Operation] = {
    SetValues: widget_operations.set_values,
    AddWidget: widget_operations.add_widget,
    MoveWidget: widget_operations.move_widget,
    DuplicateWidget: widget_operations.duplicate_widget,
    DeleteWidget: widget_operations.delete_widget,
    AddSection: section_operations.add_section,
    AddPage: page_operations.add_page,
    EditPage: page_operations.edit_page,
    MovePage: page_operations.move_page,
    DeletePage: page_operations.delete_page,
    ChooseTemplate: page_operations.choose_template,
    SetGlobalValue: value_operations.set_global_value,
    SetStaticValue: value_operations.set_static_value,
}
"""Each makes one kind of change, and returns a label of what was changed."""


async def make_change(
    tx: Transaction, settings: Settings, editor: Editor, site_ref: int, request: ChangeRequest
) -> ChangeResponse:
    """Make a change and record it. An id that was used before changes nothing and returns the change made then."""
    with_row = isinstance(request.change, ChooseTemplate)
    site = await lock_site_content(tx, editor.caller, site_ref, with_row=with_row)
    repeated = await store.find_change(tx, site_ref, request.id)
    if repeated is not None:
        return await presenting.present(tx, editor, site, repeated)
    work = Work(tx, settings, editor, site, Recorder(tx, site))
    label = await OPERATIONS[type(request.change)](work, request.change)
    recorded = await work.recorder.finish()
    await usage.check_added_bytes(tx, settings, site_ref, size_of(recorded.after))
    number = await _record(work, request, label, recorded)
    await _evict(tx, settings, site_ref, editor, number)
    change = await store.get_change(tx, site_ref, number)
    return await presenting.present(tx, editor, site, change, recorded.rows)


async def _record(work: Work, request: ChangeRequest, label: str, recorded: Recorded) -> int:
    before, after, replaces = recorded.before, recorded.after, None
    if request.merge and type(request.change) in MERGED and after:
        previous = await store.find_step(work.tx, work.site.ref, work.editor.author, None, undone=False)
        if previous is not None and _may_merge(previous, request, before):
            before, replaces = joined(decompress(previous.before), before), previous.number
            after = joined(after, decompress(previous.after))
    new = NewChange(
        id=request.id,
        author=work.editor.author,
        session=request.session,
        made_at=clock.now(),
        kind=kind_of(request.change),
        label=label,
        scope=msgspec.json.encode(recorded.scope).decode(),
        before=compress(before) if after else None,
        after=compress(after) if after else None,
        replaces=replaces,
    )
    return await store.insert_change(work.tx, work.site.ref, new)


def kind_of(change: Change) -> str:
    return str(change.__struct_config__.tag)


def _may_merge(previous: Images, request: ChangeRequest, before: Image) -> bool:
    """Whether the previous change set the same item in the same window, and nobody changed it since."""
    if previous.kind != kind_of(request.change) or previous.session != request.session:
        return False
    if clock.now() - previous.made_at > timedelta(seconds=MERGE_SECONDS):
        return False
    table = MERGED[type(request.change)]
    old = decompress(previous.after).get(table, {})
    new = before.get(table, {})
    items = {key.partition(" ")[0] if table == VALUES else key for key in (*old, *new)}
    return len(items) == 1 and all(_is_unchanged(old[key], new[key]) for key in old.keys() & new.keys())


def _is_unchanged(old: Row | None, new: Row | None) -> bool:
    """A row that was created is recorded as a whole; later only the columns that change."""
    if old is None or new is None:
        return old is new
    return old.items() >= new.items()


async def _evict(tx: Transaction, settings: Settings, site_ref: int, editor: Editor, number: int) -> None:
    summary = await store.summarize(tx, site_ref, editor.author)
    most, most_bytes = settings.content_changes_limit, settings.content_changes_mib * MIB
    if summary.kept > most or summary.bytes > most_bytes:
        await store.evict(tx, site_ref, most, most_bytes)
    if number % PRUNE_EVERY == 0:
        await store.prune(tx, site_ref, number - IDS_KEPT - most)


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
        return await presenting.present(tx, editor, site, repeated)
    images = await store.find_step(tx, site_ref, editor.author, request.number, undone=step == "redo")
    if images is None:
        raise NothingToUndo if step == "undo" else NothingToRedo
    before, after = decompress(images.before), decompress(images.after)
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
    await _evict(tx, settings, site_ref, editor, number)
    return await presenting.present(tx, editor, site, await store.get_change(tx, site_ref, number))


async def _write(
    tx: Transaction, settings: Settings, site: Site, images: Images, expected: Image, target: Image
) -> None:
    scope = msgspec.json.decode(images.scope, type=Scope)
    for table, check in ((PAGES, usage.check_page_count), (WIDGETS, usage.check_widget_count)):
        added = sum(row is not None and expected[table][key] is None for key, row in target.get(table, {}).items())
        if added:
            await check(tx, settings, site.ref, added)
    try:
        await write_back(tx, site.ref, expected, target, scope.pages, clock.now())
    except RowChanged as error:
        raise await presenting.conflict(tx, site, images.label, error) from error
    except PlaceTaken as error:
        raise ContentChanged(f"{images.label}: {PLACE_TAKEN}") from error
    await usage.check_added_bytes(tx, settings, site.ref, size_of(target))


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
    for ref, row in target.get(PAGES, {}).items():
        if row is not None and "request" in row:
            former = expected[PAGES][ref]
            if former is None:
                await redirects.release_path(tx, site_ref, row["request"])
            else:
                await redirects.record_move(tx, site_ref, int(ref), former["request"], row["request"])


async def erase_user(tx: Transaction, user_ref: int) -> None:
    """Delete the changes of an anonymized user's sites."""
    await store.delete_of_user(tx, user_ref)


async def list_changes(tx: Transaction, caller: Caller, site_ref: int, since: int) -> ChangeList:
    """List the changes after a number, for others who edit the same site."""
    await check_site(tx, caller, site_ref)
    changes = [
        ListedChange(
            each.number,
            each.id,
            each.kind,
            each.label,
            each.author,
            each.session,
            timestamp(each.made_at, each.time_zone),
            int(each.undone),
            each.target,
        )
        for each in await store.list_changes(tx, site_ref, since, LISTED)
    ]
    summary = await store.summarize(tx, site_ref, caller.name)
    return ChangeList(changes, summary.last, int(summary.can_undo), int(summary.can_redo))


async def read_content(tx: Transaction, caller: Caller, site_ref: int, page_ref: int | None) -> WholeContent:
    """Read the content with etags; `page_ref`: only the widgets of this page."""
    return await presenting.read_content(tx, caller, site_ref, page_ref)
