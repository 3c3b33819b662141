"""The history in the editor: published versions, how they look, putting one back online, and editing from one."""

from functools import partial
from typing import Annotated

import msgspec

from sitewright.kit.http.about import about
from sitewright.kit.http.call import plain_body
from sitewright.kit.http.responses import Response
from sitewright.kit.paging import Window
from sitewright.kit.problems import Problem
from sitewright.kit.timestamps import instant_of
from sitewright.kit.validation import parse, parse_query
from sitewright.sites.content.errors import PageNotFound, SiteFull
from sitewright.sites.publishing.errors import SiteTooLarge, TemplateFailed, VersionNotFound, VersionWithoutContent
from sitewright.sites.publishing.versions import service as versions
from sitewright.sites.publishing.versions.service import EditVersionRequest, Version
from sitewright.sites.sites.service import Site
from sitewright.web.account.holder_pages.service import (
    PageRequest,
    Work,
    authenticated_page,
    find_own_site,
    no_preview_page,
    page_route,
    preview_page,
)
from sitewright.web.editor.frame_policy import frame_page
from sitewright.web.editor.panel_schemas import EditorAuthor, EditorVersion, EditorVersions
from sitewright.web.editor.routes import EDIT, change, read
from sitewright.web.editor.session_call import SessionCall

VERSIONS = f"{EDIT}/versions"
VERSION = VERSIONS + "/{version_ref:int}"
KEPT = 60
"""More than the service keeps of a site, so that one list has them all."""


class VersionQuery(msgspec.Struct, frozen=True):
    """The page of the version to show."""

    path: Annotated[str, about("The path of a page of the version; without it, the home page.", "food/menu")] = ""


async def list_versions(request: PageRequest, site_ref: int | None) -> EditorVersions:
    site = await find_own_site(request, site_ref)
    found, _ = await versions.list_versions(request.tx, request.caller, site.ref, Window(limit=KEPT))
    return EditorVersions([_serialize(each) for each in found])


async def restore(request: PageRequest, site_ref: int | None, version_ref: int | None) -> None:
    site = await find_own_site(request, site_ref, lock=True)
    await versions.restore(request.tx, request.caller, site.ref, version_ref or 0)


async def prepare_edit(request: PageRequest, site_ref: int | None, version_ref: int | None) -> Work:
    site = await find_own_site(request, site_ref)
    brand_ref = request.brand.brand_ref
    return partial(versions.read_stored, request.resources, brand_ref, request.caller, site.ref, version_ref or 0)


async def edit_from(
    request: PageRequest, site_ref: int | None, version_ref: int | None, prepared: versions.StoredInput | None
) -> None:
    site = await find_own_site(request, site_ref, lock=True)
    sent = parse(EditVersionRequest, plain_body(request.http_request))
    settings = request.resources.settings
    await versions.edit_from(request.tx, settings, request.caller, site.ref, version_ref or 0, prepared, sent)


async def prepare_view(request: PageRequest, site_ref: int | None, version_ref: int | None) -> Work:
    """Render a page of the version without holding a connection."""
    site = await find_own_site(request, site_ref)
    path = parse_query(request.http_request.query).get("path", "")
    return partial(_render, request, site, version_ref or 0, path)


async def _render(request: PageRequest, site: Site, version_ref: int, path: str) -> bytes | Problem:
    try:
        return await versions.preview(
            request.resources, request.brand.brand_ref, request.caller, site.ref, version_ref, path
        )
    except (VersionNotFound, VersionWithoutContent, PageNotFound, TemplateFailed, SiteTooLarge) as problem:
        return problem


async def show_frame(request: PageRequest, prepared: bytes | Problem, **_path_parameters: object) -> Response:
    """With the editor's script, which reports the links that are clicked."""
    return no_preview_page(request, prepared) if isinstance(prepared, Problem) else frame_page(prepared)


async def show_thumbnail(request: PageRequest, prepared: bytes | Problem, **_path_parameters: object) -> Response:
    """Without any script: the browser shows it as a small picture."""
    return no_preview_page(request, prepared) if isinstance(prepared, Problem) else preview_page(prepared)


def _serialize(version: Version) -> EditorVersion:
    author = version.author
    return EditorVersion(
        ref=version.version_ref,
        published=instant_of(version.published),
        current=version.current,
        editable=version.editable,
        pages=version.pages,
        author=None if author is None else EditorAuthor(author.kind, author.name),
    )


_NOT_SHOWN = {
    404: "A page: the site has no such version, or the version no such page.",
    409: "A page: the content of the version is not stored, or its template cannot render it.",
}
FRAME = page_route(
    f"{VERSION}/frame",
    "showVersionFrame",
    "A page of a published version, for the editor's history.",
    "Only the editor's own script runs in it, in an opaque origin.",
    VersionQuery,
    _NOT_SHOWN,
)
THUMBNAIL = page_route(
    f"{VERSION}/thumbnail",
    "showVersionThumbnail",
    "The home page of a published version, for the editor's history.",
    "No script runs in it. The editor shows it small.",
    VersionQuery,
    _NOT_SHOWN,
)
HISTORY_PAGES = [
    authenticated_page(FRAME, show_frame, prepare=prepare_view),
    authenticated_page(THUMBNAIL, show_thumbnail, prepare=prepare_view),
]
HISTORY_CALLS = [
    SessionCall(
        route=read(VERSIONS, "listOwnVersions", "The published versions of the site.", EditorVersions),
        function=list_versions,
    ),
    SessionCall(
        route=change(f"{VERSION}/restore", "restoreOwnVersion", "Put a version back online.", None, VersionNotFound),
        function=restore,
    ),
    SessionCall(
        route=change(
            f"{VERSION}/edit",
            "editOwnVersion",
            "Continue editing from a version.",
            None,
            VersionNotFound,
            VersionWithoutContent,
            SiteFull,
            form=EditVersionRequest,
        ),
        function=edit_from,
        prepare=prepare_edit,
    ),
]
