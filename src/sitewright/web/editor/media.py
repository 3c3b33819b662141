"""Pictures in the editor: the library, uploads, crops, alternative texts, and the site's logo."""

from functools import partial

import msgspec
from msgspec import UNSET

from sitewright.accounts.profiles import service as profiles
from sitewright.kit.http.call import plain_body
from sitewright.kit.paging import Window
from sitewright.kit.validation import parse, parse_query, parse_ref
from sitewright.sites.media import service as media
from sitewright.sites.media.schemas import Media, MediaChanges, MediaCrop, MediaResponse
from sitewright.sites.media.service import Received, receive
from sitewright.web.account.holder_pages.service import PageRequest, Work, find_own_site
from sitewright.web.editor.schemas import EditorMedia, PictureForm

PAGE_SIZE = 60


async def list_media(request: PageRequest, site_ref: int | None) -> EditorMedia:
    site = await find_own_site(request, site_ref)
    after = parse_ref(parse_query(request.http_request.query).get("after", ""))
    window = Window(limit=PAGE_SIZE, offset=0, after=after, before=None)
    found, page = await media.list_media(request.tx, request.caller, site.ref, window)
    return EditorMedia(media=found, next=f"after={found[-1].ref}" if page.more_after and found else None)


async def prepare_upload(request: PageRequest, site_ref: int | None) -> Work:
    """Check the quota; the body is then read without holding a connection."""
    site = await find_own_site(request, site_ref)
    allowance, compress = await media.allowance_of(request.tx, request.caller, site.ref)
    brand_ref = request.brand.brand_ref
    return partial(receive, request.resources, request.http_request, brand_ref, site.ref, allowance, compress=compress)


async def upload(request: PageRequest, site_ref: int | None, prepared: Received) -> MediaResponse:
    site = await find_own_site(request, site_ref)
    return MediaResponse(await media.create_media(request.tx, request.caller, site.ref, prepared))


async def prepare_crop(request: PageRequest, site_ref: int | None, media_ref: int | None) -> Work:
    """Check the package; the picture is then cropped without holding a connection."""
    site = await find_own_site(request, site_ref)
    source = await media.find_croppable(request.tx, request.caller, site.ref, media_ref or 0)
    part = parse(MediaCrop, plain_body(request.http_request))
    allowance, compress = await media.allowance_of(request.tx, request.caller, site.ref)
    brand_ref = request.brand.brand_ref
    return partial(media.crop, request.resources, brand_ref, site.ref, source, part, allowance, compress=compress)


async def create_crop(
    request: PageRequest, site_ref: int | None, media_ref: int | None, prepared: Received
) -> MediaResponse:
    """The part of a picture as a new one; where the old one was deleted meanwhile, there is none."""
    site = await find_own_site(request, site_ref)
    await _find(request, site.ref, media_ref)
    return MediaResponse(await media.create_media(request.tx, request.caller, site.ref, prepared))


async def edit_media(request: PageRequest, site_ref: int | None, media_ref: int | None) -> MediaResponse:
    site = await find_own_site(request, site_ref)
    found = await _find(request, site.ref, media_ref)
    changes = parse(MediaChanges, plain_body(request.http_request))
    return MediaResponse(await media.edit_media(request.tx, request.caller, site.ref, found.ref, changes))


async def delete_media(request: PageRequest, site_ref: int | None, media_ref: int | None) -> None:
    site = await find_own_site(request, site_ref)
    found = await _find(request, site.ref, media_ref)
    await media.delete_media(request.tx, request.caller, site.ref, found.ref, force=False)


async def save_pictures(request: PageRequest, site_ref: int | None) -> None:
    """Set or remove pictures of the profile."""
    site = await find_own_site(request, site_ref)
    form = parse(PictureForm, plain_body(request.http_request))
    sent = {name: value for name, value in msgspec.structs.asdict(form).items() if value is not UNSET}
    fields = {name: value or "" for name, value in sent.items()}
    if fields:
        await profiles.write_fields(request.tx, request.resources, request.caller, site.profile_ref, fields)


async def _find(request: PageRequest, site_ref: int, media_ref: int | None) -> Media:
    return await media.get_media(request.tx, request.caller, site_ref, media_ref or 0)
