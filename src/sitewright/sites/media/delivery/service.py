"""Files of media as they are sent, by the edge server and by the service's own host; never an original.

A file is named by a digest of its content, so browsers cache it forever.
"""

import re
from collections.abc import AsyncIterator

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.resources import Resources
from sitewright.sites.media import store
from sitewright.sites.media.storage import service as storage

NAME = r"[0-9a-f]{32}-[1-9][0-9]{0,4}\.(?:avif|webp|jpg|png|svg)"
BLOCK_BYTES = 256 * 1024
"""How much of a streamed file is in memory: read at once, so that a slow client holds no connection to a store."""
TYPES = {
    "avif": "image/avif",
    "webp": "image/webp",
    "jpg": "image/jpeg",
    "png": "image/png",
    "svg": "image/svg+xml",
}
IMMUTABLE = "public, max-age=31536000, immutable"
SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""For those who open the file itself; within a page, an image runs no scripts anyway."""
OWN_HOST_PATH = "/account/media/"
_NAME = re.compile(NAME)


class MediaFile(msgspec.Struct, frozen=True, gc=False):
    """A variant of a picture, which visitors may see."""

    format: str
    bytes: int
    object_key: str

    @property
    def etag(self) -> str:
        """Without quotes: the random part of the object's key, since no key is ever used for other bytes."""
        return self.object_key.rpartition("/")[2]

    @property
    def headers(self) -> dict[str, str]:
        """Of the whole file, wherever it is sent."""
        policy = {"content-security-policy": SVG_POLICY} if self.format == "svg" else {}
        return {
            "etag": f'"{self.etag}"',
            "cache-control": IMMUTABLE,
            "accept-ranges": "bytes",
            "x-content-type-options": "nosniff",
            **policy,
        }


def own_host_prefix(brand_ref: int, site_ref: int) -> str:
    """What precedes the names of a site's files on the service's own host: in previews, and in the editor."""
    return f"{OWN_HOST_PATH}{brand_ref}-{site_ref}-"


def is_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None


async def find_file(tx: Transaction, site_ref: int, name: str) -> MediaFile | None:
    """The file of a site that is not deleted."""
    row = await store.find_variant(tx, site_ref, name)
    return None if row is None else MediaFile(*row)


async def read_blocks(resources: Resources, brand_ref: int, key: str, begin: int, end: int) -> AsyncIterator[bytes]:
    """The bytes from `begin` to before `end`. Raises `ObjectMissing` where the file was deleted meanwhile."""
    for start in range(begin, end, BLOCK_BYTES):
        until = min(start + BLOCK_BYTES, end)
        chunks = storage.read(resources, brand_ref, key, start, until)
        yield b"".join([chunk async for chunk in chunks])


async def begun(blocks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The same blocks, of which the first one is read now: a store that fails is noticed before headers are sent."""
    return _joined(await anext(blocks), blocks)


async def _joined(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for block in rest:
        yield block
