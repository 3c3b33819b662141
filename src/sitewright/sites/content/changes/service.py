"""Makes changes of a site's content, and undoes and redoes them.

Each change is one transaction under the lock on the site's content. What it touched is recorded as two images, before
and after; undo and redo write one of them back.
"""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.timestamps import timestamp
from sitewright.settings import Settings
from sitewright.sites.content.access import check_site, lock_site_content
from sitewright.sites.content.changes import (
    page_operations,
    page_set_operations,
    presenting,
    replacement,
    section_operations,
    store,
    value_operations,
    widget_operations,
)
from sitewright.sites.content.changes.errors import ContentChanged, NothingToRedo, NothingToUndo
from sitewright.sites.content.changes.images.recorder import Recorder
from sitewright.sites.content.changes.recording import Request, record
from sitewright.sites.content.changes.replacement import Replacement
from sitewright.sites.content.changes.requests import (
    AddPage,
    AddPageSet,
    AddSection,
    AddWidget,
    ChangeId,
    ChangeRequest,
    ChangesQuery,
    ChooseTemplate,
    DeletePage,
    DeleteWidget,
    DuplicateWidget,
    EditPage,
    MakeHome,
    MovePage,
    MoveWidget,
    Session,
    SetGlobalValue,
    SetStaticValue,
    SetValues,
    StepRequest,
)
from sitewright.sites.content.changes.schemas import (
    ChangeList,
    ChangeMade,
    ChangeResponse,
    ListedChange,
    WholeContent,
    WholeContentResponse,
)
from sitewright.sites.content.changes.steps import redo, undo
from sitewright.sites.content.changes.work import Editor, Work

__all__ = ["ChangeId", "ChangeList", "ChangeMade", "ChangeRequest", "ChangeResponse", "ChangesQuery", "ContentChanged"]
__all__ += ["Editor", "NothingToRedo", "NothingToUndo", "Replacement", "Request", "Session", "StepRequest"]
__all__ += ["WholeContentResponse", "erase_user", "list_changes", "make_change", "read_content", "redo"]
__all__ += ["replace_content", "undo"]

LISTED = 200
Operation = Callable[[Work, Any], Awaitable[str]]
OPERATIONS: dict[type[msgspec.Struct], Operation] = {
    SetValues: widget_operations.set_values,
    AddWidget: widget_operations.add_widget,
    MoveWidget: widget_operations.move_widget,
    DuplicateWidget: widget_operations.duplicate_widget,
    DeleteWidget: widget_operations.delete_widget,
    AddSection: section_operations.add_section,
    AddPageSet: page_set_operations.add_page_set,
    AddPage: page_operations.add_page,
    EditPage: page_operations.edit_page,
    MovePage: page_operations.move_page,
    MakeHome: page_operations.make_home,
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
        return await presenting.present(tx, editor, site, repeated, repeated=1)
    work = Work(tx, settings, editor, site, Recorder(tx, site))
    label = await OPERATIONS[type(request.change)](work, request.change)
    kind = str(request.change.__struct_config__.tag)
    recorded = await work.recorder.finish()
    number = await record(work, Request(request.id, request.session, kind, label, merge=request.merge), recorded)
    change = await store.get_change(tx, site_ref, number)
    return await presenting.present(tx, editor, site, change, recorded.rows)


async def replace_content(
    tx: Transaction, settings: Settings, editor: Editor, site_ref: int, request: Request, new: Replacement
) -> ChangeMade:
    """Replace the whole content as one change that can be undone; an id that was used before changes nothing."""
    site = await lock_site_content(tx, editor.caller, site_ref, with_row=True)
    change = await store.find_change(tx, site_ref, request.id)
    if change is None:
        work = Work(tx, settings, editor, site, Recorder(tx, site))
        await replacement.replace(work, new)
        number = await record(work, request, await work.recorder.finish())
        change = await store.get_change(tx, site_ref, number)
    return presenting.present_made(change)


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
