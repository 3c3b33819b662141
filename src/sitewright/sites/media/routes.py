import msgspec

from sitewright.kit.http import Call, Upload, endpoint
from sitewright.kit.http.body_stream import BodyCutOff
from sitewright.kit.http.idempotency import HEADER
from sitewright.kit.http.multipart import MalformedMultipart
from sitewright.kit.origin import service_url
from sitewright.kit.paging import ListQuery, set_links
from sitewright.kit.validation import parse_ref
from sitewright.sites.media import service, uploads
from sitewright.sites.media.errors import MediaInUse, MediaNotFound, MediaTooLarge, MediaUnreadable
from sitewright.sites.media.pictures.service import MAX_SOURCE_BYTES
from sitewright.sites.media.schemas import DeleteMedia, Media, MediaChanges, MediaList, MediaResponse, NewMedia
from sitewright.sites.sites.errors import PackageLimitReached, SiteNotFound
from sitewright.sites.sites.service import find_site

PATH = "/sites/{site_ref:int}/media"
ONE = PATH + "/{media_ref:int}"
UPLOAD_ERRORS = (MediaTooLarge, MediaUnreadable, PackageLimitReached, MalformedMultipart, BodyCutOff)


async def _receive(call: Call) -> None:
    """Before the endpoint's transaction: no connection is held while the body arrives and is decoded.

    Only the caller is known yet, so the site and the quota are checked first, in a short transaction. The quota is not
    checked for a request with an Idempotency-Key, which may be the repetition of the upload that filled it.
    """
    site_ref = parse_ref(call.request.path.split("/")[2])
    if site_ref is None or call.brand_ref is None:
        return
    async with call.resources.database.transaction(call.brand_ref) as tx:
        allowance, compress = await service.allowance_of(tx, call.caller, site_ref)
    if HEADER in call.request.headers:
        allowance = uploads.Allowance(MAX_SOURCE_BYTES, MediaTooLarge())
    call.prepared = await uploads.receive(
        call.resources, call.request, call.brand_ref, site_ref, allowance, compress=compress
    )


@endpoint(
    "POST",
    PATH,
    status=201,
    prepare=_receive,
    query=NewMedia,
    upload=Upload(
        NewMedia,
        "A form with the picture as `file`, or the picture itself as the body, with its media type (or"
        " application/octet-stream) and `name` and `alt` in the query.",
    ),
    errors=(SiteNotFound, *UPLOAD_ERRORS),
)
async def create_media(call: Call, site_ref: int) -> MediaResponse:
    """Upload a picture: JPEG, PNG, GIF, WebP, AVIF or SVG, at most 25 MiB and 50 megapixels.

    The format is detected from the content. The original is kept, counts towards `storageLimit` of the package, and is
    never served; visitors receive variants of it without metadata (location, camera), upright and in sRGB. One of at
    most 960 pixels exists when this call returns; the others follow within seconds.
    """
    return _response(call, await service.create_media(call.tx, call.caller, site_ref, call.prepared))


@endpoint("GET", PATH, query=ListQuery, list_field="media", errors=(SiteNotFound,))
async def list_media(call: Call, site_ref: int) -> MediaList:
    """The pictures of a site, last uploaded first."""
    await find_site(call.tx, call.caller, site_ref)
    window = call.query(ListQuery).window
    media, page = await service.list_media(call.tx, call.caller, site_ref, window)
    set_links(call, window, page)
    return MediaList([_with_host(call, each) for each in media])


@endpoint("GET", ONE, errors=(SiteNotFound, MediaNotFound))
async def get_media(call: Call, site_ref: int, media_ref: int) -> MediaResponse:
    """One picture of a site."""
    return _response(call, await service.get_media(call.tx, call.caller, site_ref, media_ref))


@endpoint("PUT", ONE, body=MediaChanges, errors=(SiteNotFound, MediaNotFound))
async def edit_media(call: Call, site_ref: int, media_ref: int) -> MediaResponse:
    """Change a picture's name, alternative text or focal point. Visitors see it after the next publish."""
    await service.get_media(call.tx, call.caller, site_ref, media_ref)
    changes = call.body(MediaChanges)
    return _response(call, await service.edit_media(call.tx, call.caller, site_ref, media_ref, changes))


@endpoint("DELETE", ONE, status=204, query=DeleteMedia, errors=(SiteNotFound, MediaNotFound, MediaInUse))
async def delete_media(call: Call, site_ref: int, media_ref: int) -> None:
    """Delete a picture with all of its variants. While the site uses it, `mediaInUse` names the places.

    With `force=1` it is deleted nevertheless: drafts and previews show nothing in those places; visitors see an empty
    space, and nothing after the next publish.
    """
    await service.get_media(call.tx, call.caller, site_ref, media_ref)
    force = call.query(DeleteMedia).force
    await service.delete_media(call.tx, call.caller, site_ref, media_ref, force=force)


def _response(call: Call, media: Media) -> MediaResponse:
    return MediaResponse(_with_host(call, media))


def _with_host(call: Call, media: Media) -> Media:
    """With the complete URL of its preview."""
    host = service_url(call.resources.settings, call.request.origin)
    return msgspec.structs.replace(media, url=media.url and host + media.url)


endpoints = [create_media, list_media, get_media, edit_media, delete_media]
