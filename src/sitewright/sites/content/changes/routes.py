from sitewright.kit.http import Call, endpoint
from sitewright.sites.content.access import check_site
from sitewright.sites.content.changes import service
from sitewright.sites.content.changes.errors import ContentChanged, ContentTooLarge, NothingToRedo, NothingToUndo
from sitewright.sites.content.changes.requests import AddSection, ChangeRequest, ChangesQuery, ContentQuery, StepRequest
from sitewright.sites.content.changes.schemas import ChangeList, ChangeResponse, WholeContentResponse
from sitewright.sites.content.changes.work import Editor
from sitewright.sites.content.errors import PageNotFound, PageUrlTaken, SiteFull, WidgetNameTaken, WidgetNotFound
from sitewright.sites.content.languages import language_of
from sitewright.sites.sites.errors import SiteNotFound

CHANGES = "/sites/{site_ref:int}/changes"


@endpoint(
    "GET", "/sites/{site_ref:int}/content", query=ContentQuery, errors=(SiteNotFound, PageNotFound, ContentTooLarge)
)
async def get_content(call: Call, site_ref: int) -> WholeContentResponse:
    """The whole content of a site, with an `etag` for each item, as an editor loads it."""
    await check_site(call.tx, call.caller, site_ref)
    query = call.query(ContentQuery)
    return WholeContentResponse(await service.read_content(call.tx, call.caller, site_ref, query.page_ref))


@endpoint("GET", CHANGES, query=ChangesQuery, errors=(SiteNotFound,))
async def list_changes(call: Call, site_ref: int) -> ChangeList:
    """The latest changes of a site, for others who edit it at the same time."""
    await check_site(call.tx, call.caller, site_ref)
    return await service.list_changes(call.tx, call.caller, site_ref, call.query(ChangesQuery).since)


@endpoint(
    "POST",
    CHANGES,
    body=ChangeRequest,
    errors=(SiteNotFound, WidgetNotFound, PageNotFound, ContentChanged, WidgetNameTaken, PageUrlTaken, SiteFull),
)
async def make_change(call: Call, site_ref: int) -> ChangeResponse:
    """Change the content as the editor does: one step that can be undone.

    A change that overwrites or deletes an item carries the `etag` that you saw (from `GET content`, or from the
    response to an earlier change); if somebody else changed the item since, nothing is written, and the response is 409
    `contentChanged` with the item as it is now. Repeating a request with the same `id` changes nothing and returns the
    change made then, so that you can repeat it whenever a response is lost.

    Visitors see the change after the next publish.
    """
    await check_site(call.tx, call.caller, site_ref)
    request = call.body(ChangeRequest)
    has_texts = isinstance(request.change, AddSection)
    editor = Editor(call.caller, await language_of(call)) if has_texts else Editor(call.caller)
    return await service.make_change(call.tx, call.resources.settings, editor, site_ref, request)


@endpoint("POST", CHANGES + "/undo", body=StepRequest, errors=(SiteNotFound, NothingToUndo, ContentChanged, SiteFull))
async def undo_change(call: Call, site_ref: int) -> ChangeResponse:
    """Undo your latest change of the site. Deleted items come back with their refs.

    Changes of others are not undone. Where somebody else changed the same item since, nothing is written, and the
    response is 409 `contentChanged`. The last 200 changes of a site can be undone.
    """
    await check_site(call.tx, call.caller, site_ref)
    request = call.body(StepRequest)
    return await service.undo(call.tx, call.resources.settings, Editor(call.caller), site_ref, request)


@endpoint("POST", CHANGES + "/redo", body=StepRequest, errors=(SiteNotFound, NothingToRedo, ContentChanged, SiteFull))
async def redo_change(call: Call, site_ref: int) -> ChangeResponse:
    """Redo the change that you have undone last, unless you made another one since."""
    await check_site(call.tx, call.caller, site_ref)
    request = call.body(StepRequest)
    return await service.redo(call.tx, call.resources.settings, Editor(call.caller), site_ref, request)


endpoints = [get_content, list_changes, make_change, undo_change, redo_change]
