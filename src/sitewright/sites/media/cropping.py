"""Crops a picture: a part of the original becomes a picture of its own. Runs without a connection to the database."""

from sitewright.kit.resources import Resources
from sitewright.sites.media.decoders import pictures_of
from sitewright.sites.media.errors import MediaNotFound
from sitewright.sites.media.pictures.service import Box
from sitewright.sites.media.schemas import MediaCrop
from sitewright.sites.media.spooling import open_spool, spool_all
from sitewright.sites.media.storage import service as storage
from sitewright.sites.media.storage.service import ObjectMissing
from sitewright.sites.media.store import Source
from sitewright.sites.media.uploads import Allowance, Received, once, store_picture


async def crop(
    resources: Resources,
    brand_ref: int,
    site_ref: int,
    source: Source,
    part: MediaCrop,
    allowance: Allowance,
    *,
    compress: bool,
) -> Received:
    """Cut the part out of the original and store it like an upload, with the name and the alternative text."""
    data = await _cut(resources, brand_ref, source, box_of(part, source.width, source.height))
    allowance.check(len(data))
    async with open_spool(resources.settings) as spool:
        await spool_all(spool, once(data))
        return await store_picture(resources, spool, brand_ref, site_ref, source.name, source.alt, compress=compress)


async def _cut(resources: Resources, brand_ref: int, source: Source, box: Box) -> bytes:
    async with open_spool(resources.settings) as spool:
        try:
            await spool_all(spool, storage.read(resources, brand_ref, source.object_key))
        except ObjectMissing:  # deleted meanwhile
            raise MediaNotFound from None
        return await pictures_of(resources.settings).crop(spool.path, brand_ref, box)


def box_of(part: MediaCrop, width: int, height: int) -> Box:
    """The part in pixels: within the picture, and at least one pixel wide and high."""
    left, top = min(width - 1, round(part.x * width)), min(height - 1, round(part.y * height))
    right, bottom = round((part.x + part.width) * width), round((part.y + part.height) * height)
    return Box(left, top, min(width, max(left + 1, right)), min(height, max(top + 1, bottom)))
