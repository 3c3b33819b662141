"""The content in the editor: the same changes as those of the API, under the account holder's session."""

from sitewright.kit.http.call import plain_body
from sitewright.kit.validation import parse, parse_query
from sitewright.sites.content.changes import service as changes
from sitewright.sites.content.changes.service import (
    ChangeList,
    ChangeRequest,
    ChangeResponse,
    ChangesQuery,
    Editor,
    StepRequest,
    WholeContentResponse,
)
from sitewright.web.account.holder_pages.service import PageRequest, find_own_site


async def read_content(request: PageRequest, site_ref: int | None) -> WholeContentResponse:
    site = await find_own_site(request, site_ref)
    return WholeContentResponse(await changes.read_content(request.tx, request.caller, site.ref, None))


async def list_changes(request: PageRequest, site_ref: int | None) -> ChangeList:
    site = await find_own_site(request, site_ref)
    since = parse(ChangesQuery, parse_query(request.http_request.query)).since
    return await changes.list_changes(request.tx, request.caller, site.ref, since)


async def make_change(request: PageRequest, site_ref: int | None) -> ChangeResponse:
    site = await find_own_site(request, site_ref)
    sent = parse(ChangeRequest, plain_body(request.http_request))
    return await changes.make_change(request.tx, request.resources.settings, _editor(request), site.ref, sent)


async def undo(request: PageRequest, site_ref: int | None) -> ChangeResponse:
    site = await find_own_site(request, site_ref)
    sent = parse(StepRequest, plain_body(request.http_request))
    return await changes.undo(request.tx, request.resources.settings, _editor(request), site.ref, sent)


async def redo(request: PageRequest, site_ref: int | None) -> ChangeResponse:
    site = await find_own_site(request, site_ref)
    sent = parse(StepRequest, plain_body(request.http_request))
    return await changes.redo(request.tx, request.resources.settings, _editor(request), site.ref, sent)


def _editor(request: PageRequest) -> Editor:
    return Editor(request.caller, request.messages.language)
