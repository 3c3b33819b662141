"""The editor's calls that read and change the content."""

from sitewright.sites.content.changes.service import (
    ChangeList,
    ChangeRequest,
    ChangeResponse,
    ChangesQuery,
    ContentChanged,
    NothingToRedo,
    NothingToUndo,
    StepRequest,
    WholeContentResponse,
)
from sitewright.sites.content.errors import PageNotFound, PageUrlTaken, SiteFull, WidgetNameTaken, WidgetNotFound
from sitewright.sites.sites.errors import PackageLimitReached
from sitewright.web.editor import content
from sitewright.web.editor.routes import EDIT, change, read
from sitewright.web.editor.session_call import SessionCall

CHANGES = f"{EDIT}/changes"
CHANGE_ERRORS = (
    WidgetNotFound,
    PageNotFound,
    ContentChanged,
    WidgetNameTaken,
    PageUrlTaken,
    SiteFull,
    PackageLimitReached,
)
STEP_ERRORS = (ContentChanged, NothingToUndo, NothingToRedo, SiteFull, PackageLimitReached)
CONTENT_CALLS = [
    SessionCall(
        route=read(f"{EDIT}/content", "getOwnContent", "The whole content of the site.", WholeContentResponse),
        function=content.read_content,
    ),
    SessionCall(
        route=read(CHANGES, "listOwnChanges", "Latest changes, of other windows too.", ChangeList, query=ChangesQuery),
        function=content.list_changes,
    ),
    SessionCall(
        route=change(
            CHANGES, "changeOwnContent", "Change the content.", ChangeResponse, *CHANGE_ERRORS, form=ChangeRequest
        ),
        function=content.make_change,
    ),
    SessionCall(
        route=change(
            f"{CHANGES}/undo",
            "undoOwnChange",
            "Undo the latest change.",
            ChangeResponse,
            *STEP_ERRORS,
            form=StepRequest,
        ),
        function=content.undo,
    ),
    SessionCall(
        route=change(
            f"{CHANGES}/redo",
            "redoOwnChange",
            "Redo what was undone last.",
            ChangeResponse,
            *STEP_ERRORS,
            form=StepRequest,
        ),
        function=content.redo,
    ),
]
