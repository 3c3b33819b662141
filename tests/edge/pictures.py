"""Variants of pictures, stored and inserted as the media library does, with any bytes."""

from collections.abc import AsyncIterator

import msgspec

from sitewright.kit import clock
from sitewright.kit.resources import Resources
from sitewright.sites.media.storage import service as storage
from tests.edge.shops import Shop
from tests.support.users import OwnerConnection, insert

DIGEST = "0123456789abcdef0123456789abcdef"


class Picture(msgspec.Struct, frozen=True):
    ref: int
    path: str
    """Of the variant."""
    original_key: str
    variant_key: str


async def once(content: bytes) -> AsyncIterator[bytes]:
    yield content


async def stored(resources: Resources, shop: Shop, content: bytes) -> str:
    key = (await storage.put(resources, shop.brand_ref, shop.ref, once(content))).key
    async with resources.database.transaction(shop.brand_ref) as tx:
        assert await storage.keep(tx, [key])
    return key


async def add_picture(
    owner: OwnerConnection,
    resources: Resources,
    shop: Shop,
    content: bytes,
    variant_format: str = "webp",
    width: int = 640,
    digest: str = DIGEST,
) -> Picture:
    keys = [await stored(resources, shop, b"the original, with its location"), await stored(resources, shop, content)]
    user_ref = await owner.fetchval("select user_ref from sites where ref = $1", shop.ref)
    common = {
        "brand_ref": shop.brand_ref,
        "site_ref": shop.ref,
        "width": width,
        "height": 480,
        "created_at": clock.now(),
    }
    ref = await insert(
        owner,
        "media",
        common
        | {"user_ref": user_ref, "name": "cake.jpg", "alt": "", "mime_type": "image/jpeg", "frames": 1, "bytes": 31}
        | {"digest": digest, "compress": True, "object_key": keys[0], "updated_at": clock.now()},
    )
    name = f"{digest}-{width}.{variant_format}"
    await owner.execute(
        "insert into media_variants (brand_ref, site_ref, media_ref, name, format, width, height, animated, bytes,"
        " object_key, created_at) values ($1, $2, $3, $4, $5, $6, 480, false, $7, $8, $9)",
        shop.brand_ref,
        shop.ref,
        ref,
        name,
        variant_format,
        width,
        len(content),
        keys[1],
        clock.now(),
    )
    return Picture(ref, f"/_media/{name}", *keys)
