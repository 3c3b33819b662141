from sitewright.kit.auth.rights import Right
from sitewright.kit.http import Call, endpoint
from sitewright.kit.paging import ListQuery, set_links
from sitewright.kit.problems import Problem
from sitewright.kit.validation import parse_ref
from sitewright.sites.content.errors import SiteFull
from sitewright.sites.publishing.errors import VersionNotFound, VersionWithoutContent
from sitewright.sites.publishing.versions import service
from sitewright.sites.publishing.versions.schemas import (
    EditedVersionResponse,
    EditVersionRequest,
    VersionDetailsResponse,
    VersionList,
    VersionResponse,
)
from sitewright.sites.sites.errors import SiteNotFound

VERSIONS = "/sites/{site_ref:int}/versions"
VERSION = VERSIONS + "/{version_ref:int}"


async def _read_stored(call: Call) -> None:
    """Decode the content before the endpoint's transaction, so that no connection is held meanwhile.

    Client errors are ignored here, since the endpoint makes the same checks and raises them.
    """
    _, _, site, _, version, *_ = call.request.path.split("/")
    site_ref, version_ref = parse_ref(site), parse_ref(version)
    if site_ref is None or version_ref is None or call.brand_ref is None:
        return
    try:
        call.prepared = await service.read_stored(call.resources, call.brand_ref, call.caller, site_ref, version_ref)
    except Problem as problem:
        if problem.status >= 500:
            raise


@endpoint("GET", VERSIONS, query=ListQuery, list_field="versions", errors=(SiteNotFound,))
async def list_versions(call: Call, site_ref: int) -> VersionList:
    """The published versions of a site, newest first: the last 50, and the one that visitors see."""
    window = call.query(ListQuery).window
    versions, page = await service.list_versions(call.tx, call.caller, site_ref, window)
    set_links(call, window, page)
    return VersionList(versions)


@endpoint("GET", VERSION, prepare=_read_stored, errors=(SiteNotFound, VersionNotFound))
async def get_version(call: Call, site_ref: int, version_ref: int) -> VersionDetailsResponse:
    """One published version, with its pages."""
    version = await service.find_version(call.tx, call.caller, site_ref, version_ref)
    return VersionDetailsResponse(await service.describe(version, call.prepared))


@endpoint("POST", VERSION + "/restore", right=Right.SUPPORT, errors=(SiteNotFound, VersionNotFound))
async def restore_version(call: Call, site_ref: int, version_ref: int) -> VersionResponse:
    """Put a version back online: visitors see exactly what was published then.

    The content that is edited does not change, and the next publish replaces the version. A site that is not live
    stays offline.
    """
    return VersionResponse(await service.restore(call.tx, call.caller, site_ref, version_ref))


@endpoint(
    "POST",
    VERSION + "/edit",
    body=EditVersionRequest,
    prepare=_read_stored,
    errors=(SiteNotFound, VersionNotFound, VersionWithoutContent, SiteFull),
)
async def edit_version(call: Call, site_ref: int, version_ref: int) -> EditedVersionResponse:
    """Continue editing from a version: its pages, widgets, values and template replace those of the site.

    It is one step of the content's changes: `POST /sites/:siteRef/changes/undo` brings back what was edited before.
    Visitors see no difference until the next publish. Refs of pages and widgets are those of the version. The profile
    does not change. A page whose address differs keeps its former one as a redirect. The body can be omitted.
    """
    version = await service.find_version(call.tx, call.caller, site_ref, version_ref)
    request = call.body(EditVersionRequest)
    change = await service.edit_from(
        call.tx, call.resources.settings, call.caller, site_ref, version_ref, call.prepared, request
    )
    return EditedVersionResponse(version, change)


endpoints = [list_versions, get_version, restore_version, edit_version]
