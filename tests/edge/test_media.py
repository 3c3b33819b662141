"""Media on the site's own hosts: cacheable forever, in parts, from memory or streamed; never of another site."""

import os

import pytest

from sitewright.edge.app import SiteListener
from sitewright.kit.resources import Resources
from tests.edge.pictures import DIGEST, add_picture
from tests.edge.shops import Shop, Visitor, open_shop
from tests.support.cast import OTHER_BRAND
from tests.support.eventually import eventually
from tests.support.users import OwnerConnection

SMALL = os.urandom(50_000)
LARGE = os.urandom(3 * 2**20 + 17)
"""Larger than an eighth of the share of the cache that media have."""


@pytest.mark.parametrize("content", [SMALL, LARGE], ids=["from memory", "streamed"])
async def test_a_variant(
    visitor: Visitor, shop: Shop, owner_connection: OwnerConnection, resources: Resources, content: bytes
) -> None:
    picture = await add_picture(owner_connection, resources, shop, content)
    for _ in range(2):
        response = await visitor.get(picture.path)
        assert (response.status_code, response.content) == (200, content)
        assert response.headers["content-type"] == "image/webp"
        assert response.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["accept-ranges"] == "bytes"
        assert response.headers["content-length"] == str(len(content))
    head = await visitor.get(picture.path, method="HEAD")
    assert (head.status_code, head.headers["content-length"], head.content) == (200, str(len(content)), b"")
    unchanged = await visitor.get(picture.path, headers={"If-None-Match": response.headers["etag"]})
    assert (unchanged.status_code, unchanged.content, unchanged.headers["etag"]) == (304, b"", response.headers["etag"])


@pytest.mark.parametrize("content", [SMALL, LARGE], ids=["from memory", "streamed"])
async def test_ranges(
    visitor: Visitor, shop: Shop, owner_connection: OwnerConnection, resources: Resources, content: bytes
) -> None:
    picture = await add_picture(owner_connection, resources, shop, content)
    size, etag = len(content), (await visitor.get(picture.path)).headers["etag"]
    for header, begin, end in [
        ("bytes=0-0", 0, 1),
        ("bytes=7-", 7, size),
        ("bytes = 5-2000000000", 5, size),
        ("bytes=-9", size - 9, size),
        (f"bytes=-{size + 5}", 0, size),
        (f"bytes={size - 1}-{size - 1}", size - 1, size),
    ]:
        part = await visitor.get(picture.path, headers={"Range": header, "If-Range": etag})
        assert (part.status_code, part.content) == (206, content[begin:end]), header
        assert part.headers["content-range"] == f"bytes {begin}-{end - 1}/{size}"
        assert part.headers["content-length"] == str(end - begin)
    for header in ("bytes=5-3", "bytes=a-b", "bytes=-", "pages=1-2", "bytes=0-1,3-4"):
        whole = await visitor.get(picture.path, headers={"Range": header})
        assert (whole.status_code, len(whole.content)) == (200, size), header
    changed = await visitor.get(picture.path, headers={"Range": "bytes=0-1", "If-Range": '"another"'})
    assert (changed.status_code, len(changed.content)) == (200, size)
    for header in (f"bytes={size}-", "bytes=-0"):
        beyond = await visitor.get(picture.path, headers={"Range": header})
        assert (beyond.status_code, beyond.headers["content-range"]) == (416, f"bytes */{size}")


async def test_names_that_do_not_exist(
    visitor: Visitor, shop: Shop, owner_connection: OwnerConnection, resources: Resources
) -> None:
    picture = await add_picture(owner_connection, resources, shop, SMALL)
    for path in (
        f"/_media/{DIGEST}-320.webp",
        f"/_media/{DIGEST}-640.jpg",
        f"/_media/{DIGEST}.webp",
        "/_media/",
        f"/_media/{picture.original_key}",
        f"/_media/{picture.variant_key}",
        f"{picture.path}/",
        picture.path.upper(),
    ):
        assert (await visitor.get(path)).status_code == 404, path
    assert (await visitor.post(picture.path)).status_code == 405


async def test_a_picture_that_does_not_exist_shows_nothing(visitor: Visitor, shop: Shop) -> None:
    """A page that was published before a picture was deleted still names it; browsers show images of any status."""
    response = await visitor.get(f"/_media/{DIGEST}-320.webp")
    assert (response.status_code, response.headers["content-type"]) == (404, "image/gif")
    assert response.content.startswith(b"GIF89a")
    assert response.headers["cache-control"] == "no-cache"
    other = await visitor.get("/_media/anything.webp")
    assert (other.status_code, other.headers["content-type"]) == (404, "text/plain; charset=utf-8")


@pytest.mark.parametrize("brand", [None, OTHER_BRAND], ids=["the same brand", "another brand"])
async def test_other_sites_do_not_serve_it(
    visitor: Visitor, shop: Shop, owner_connection: OwnerConnection, resources: Resources, brand: int | None
) -> None:
    columns = {} if brand else {"user_ref": await owner_connection.fetchval("select user_ref from sites")}
    other_brand = brand or shop.brand_ref
    other = await open_shop(owner_connection, resources, "other.example", brand_ref=other_brand, **columns)
    picture = await add_picture(owner_connection, resources, shop, SMALL)
    assert (await visitor.get(picture.path)).status_code == 200
    assert (await visitor.get(picture.path, host="other.example")).status_code == 404
    await add_picture(owner_connection, resources, other, LARGE)
    assert (await visitor.get(picture.path, host="other.example")).content == LARGE
    assert (await visitor.get(picture.path)).content == SMALL


async def test_svg_is_sandboxed(
    visitor: Visitor, shop: Shop, owner_connection: OwnerConnection, resources: Resources
) -> None:
    drawing = b"<svg xmlns='http://www.w3.org/2000/svg'/>"
    picture = await add_picture(owner_connection, resources, shop, drawing, "svg")
    response = await visitor.get(picture.path)
    assert (response.content, response.headers["content-type"]) == (drawing, "image/svg+xml")
    assert response.headers["content-security-policy"] == "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    assert response.headers["x-content-type-options"] == "nosniff"


async def test_svg_is_compressed_for_clients_that_accept_it(
    visitor: Visitor, shop: Shop, owner_connection: OwnerConnection, resources: Resources
) -> None:
    drawing = b"<svg xmlns='http://www.w3.org/2000/svg'>" + b"<path d='M0 0h1'/>" * 500 + b"</svg>"
    picture = await add_picture(owner_connection, resources, shop, drawing, "svg")
    for _ in range(2):  # the second time from the cache
        zipped = await visitor.get(picture.path, headers={"Accept-Encoding": "gzip"})
        assert (zipped.content, zipped.headers["content-encoding"]) == (drawing, "gzip")
        assert int(zipped.headers["content-length"]) < len(drawing) / 10
        plain = await visitor.get(picture.path, headers={"Accept-Encoding": "identity"})
        assert (plain.content, "content-encoding" in plain.headers) == (drawing, False)
        assert zipped.headers["vary"] == plain.headers["vary"] == "Accept-Encoding"
        assert zipped.headers["etag"] != plain.headers["etag"]
    known = {"Accept-Encoding": "gzip", "If-None-Match": zipped.headers["etag"]}
    assert (await visitor.get(picture.path, headers=known)).status_code == 304
    part = await visitor.get(picture.path, headers={"Accept-Encoding": "gzip", "Range": "bytes=5-9"})
    assert (part.status_code, part.content, "content-encoding" in part.headers) == (206, drawing[5:10], False)


@pytest.mark.parametrize("content", [SMALL, LARGE], ids=["from memory", "streamed"])
async def test_a_deleted_picture_is_gone_at_once(
    notified: SiteListener,
    visitor: Visitor,
    shop: Shop,
    owner_connection: OwnerConnection,
    resources: Resources,
    content: bytes,
) -> None:
    picture = await add_picture(owner_connection, resources, shop, content)
    kept = await add_picture(owner_connection, resources, shop, SMALL, digest="f" * 32)
    for path in (picture.path, picture.path, kept.path):
        assert (await visitor.get(path)).status_code == 200
    await owner_connection.execute("delete from media where ref = $1", picture.ref)

    async def is_gone() -> bool:
        return (await visitor.get(picture.path)).status_code == 404

    await eventually(is_gone)
    assert (await visitor.get(kept.path)).content == SMALL


async def test_an_offline_site_serves_no_media(
    visitor: Visitor, shop: Shop, owner_connection: OwnerConnection, resources: Resources
) -> None:
    picture = await add_picture(owner_connection, resources, shop, SMALL)
    await shop.set(live=False)
    assert (await visitor.get(picture.path)).status_code == 503


async def test_the_memory_is_bounded(
    listener: SiteListener, visitor: Visitor, shop: Shop, owner_connection: OwnerConnection, resources: Resources
) -> None:
    most = resources.settings.site_cache_mib * 2**20 // 4
    content = os.urandom(most // 10)
    for number in range(12):
        picture = await add_picture(owner_connection, resources, shop, content, digest=f"{number:032x}")
        assert (await visitor.get(picture.path)).content == content
        assert 0 < listener.media.weight <= most
