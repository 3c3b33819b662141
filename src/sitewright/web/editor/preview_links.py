"""Preview links in the editor: create one, list those that work, revoke one."""

from sitewright.kit.http.call import plain_body
from sitewright.kit.origin import service_url
from sitewright.kit.paging import Window
from sitewright.kit.timestamps import instant_of
from sitewright.kit.validation import parse
from sitewright.sites.publishing.errors import PreviewLinkNotFound, TooManyPreviewLinks
from sitewright.sites.publishing.previews import service as previews
from sitewright.sites.publishing.previews.service import NewPreviewLink, PreviewLink
from sitewright.web.account.holder_pages.service import PageRequest, find_own_site
from sitewright.web.editor.panel_schemas import EditorPreviewLink, EditorPreviewLinkResponse, EditorPreviewLinks
from sitewright.web.editor.routes import EDIT, change, read
from sitewright.web.editor.session_call import SessionCall

LINKS = f"{EDIT}/preview-links"
LINK = LINKS + "/{preview_link_ref:int}"


async def list_links(request: PageRequest, site_ref: int | None) -> EditorPreviewLinks:
    site = await find_own_site(request, site_ref)
    window = Window(limit=previews.MAX_LINKS)
    found, _ = await previews.list_links(request.tx, request.caller, site.ref, window)
    return EditorPreviewLinks([_serialize(each) for each in found])


async def create_link(request: PageRequest, site_ref: int | None) -> EditorPreviewLinkResponse:
    site = await find_own_site(request, site_ref)
    new = parse(NewPreviewLink, plain_body(request.http_request))
    host = service_url(request.resources.settings, request.http_request.origin)
    link = await previews.create_link(request.tx, request.caller, site.ref, new.days, host)
    return EditorPreviewLinkResponse(_serialize(link, link.url))


async def delete_link(request: PageRequest, site_ref: int | None, preview_link_ref: int | None) -> None:
    site = await find_own_site(request, site_ref)
    await previews.delete_link(request.tx, request.caller, site.ref, preview_link_ref or 0)


def _serialize(link: PreviewLink, url: str | None = None) -> EditorPreviewLink:
    return EditorPreviewLink(ref=link.ref, created=instant_of(link.created), expires=instant_of(link.expires), url=url)


PREVIEW_LINK_CALLS = [
    SessionCall(
        route=read(LINKS, "listOwnPreviewLinks", "The preview links that still work.", EditorPreviewLinks),
        function=list_links,
    ),
    SessionCall(
        route=change(
            LINKS,
            "createOwnPreviewLink",
            "Create a preview link.",
            EditorPreviewLinkResponse,
            TooManyPreviewLinks,
            form=NewPreviewLink,
        ),
        function=create_link,
    ),
    SessionCall(
        route=change(f"{LINK}/delete", "deleteOwnPreviewLink", "Revoke a preview link.", None, PreviewLinkNotFound),
        function=delete_link,
    ),
]
