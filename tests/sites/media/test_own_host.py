"""`/account/media/<file>`: pictures on the service's own host, for previews and the editor, without a session."""

import os
import re

import httpx
import pytest

from sitewright.kit.resources import Resources
from sitewright.sites.media.pictures.service import Format
from tests.edge.pictures import DIGEST, add_picture
from tests.edge.shops import Shop
from tests.sites.media.library import Library
from tests.support.browsing import log_in
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.pictures import SVG, picture
from tests.support.users import OwnerConnection
from tests.web.account.factories import ATELIER

SMALL = os.urandom(5_000)
LARGE = os.urandom(700_001)
"""Of several blocks."""


@pytest.fixture
def shop(library: Library, owner_connection: OwnerConnection) -> Shop:
    """The same site, for files with any bytes."""
    return Shop(owner_connection, OWN_BRAND, library.site_ref)


def path_of(shop: Shop, name: str, brand_ref: int = OWN_BRAND) -> str:
    return f"/account/media/{brand_ref}-{shop.ref}-{name}"


async def test_the_url_of_a_picture_shows_it_whatever_the_state_of_the_site(
    library: Library, anonymous: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    """The site of this library was never published; later it has no domain."""
    media = await library.upload(picture(Format.JPEG, 1200, 900))
    response = await anonymous.get(media["url"])
    assert (response.status_code, response.headers["content-type"]) == (200, "image/webp")
    assert response.content[8:12] == b"WEBP"
    await owner_connection.execute("update sites set primary_domain_ref = null, enabled = false")
    again = (await library.client.get(f"{library.path}/{media['ref']}")).json()["media"]["url"]
    assert again == media["url"]
    assert (await anonymous.get(again)).content == response.content
    [listed] = (await library.client.get(library.path)).json()["media"]
    assert listed["url"] == again


@pytest.mark.parametrize("content", [SMALL, LARGE], ids=["one block", "several blocks"])
async def test_a_file_is_cacheable_forever_and_can_be_read_in_parts(
    anonymous: httpx.AsyncClient,
    shop: Shop,
    owner_connection: OwnerConnection,
    resources: Resources,
    content: bytes,
) -> None:
    await add_picture(owner_connection, resources, shop, content)
    path = path_of(shop, f"{DIGEST}-640.webp")
    response = await anonymous.get(path)
    assert (response.status_code, response.content) == (200, content)
    assert response.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert response.headers["cross-origin-resource-policy"] == "cross-origin"
    assert response.headers["x-content-type-options"] == "nosniff"
    etag = response.headers["etag"]
    head = await anonymous.head(path)
    assert (head.status_code, head.headers["content-length"], head.content) == (200, str(len(content)), b"")
    unchanged = await anonymous.get(path, headers={"If-None-Match": f'"other", W/{etag}'})
    assert (unchanged.status_code, unchanged.content, unchanged.headers["etag"]) == (304, b"", etag)
    part = await anonymous.get(path, headers={"Range": "bytes=-9", "If-Range": etag})
    assert (part.status_code, part.content) == (206, content[-9:])
    assert part.headers["content-range"] == f"bytes {len(content) - 9}-{len(content) - 1}/{len(content)}"
    beyond = await anonymous.get(path, headers={"Range": f"bytes={len(content)}-"})
    assert (beyond.status_code, beyond.json()["code"]) == (416, "rangeNotSatisfiable")
    assert beyond.headers["content-range"] == f"bytes */{len(content)}"


async def test_a_drawing_is_sandboxed(library: Library, anonymous: httpx.AsyncClient) -> None:
    media = await library.upload(SVG)
    response = await anonymous.get(media["url"])
    assert response.headers["content-type"] == "image/svg+xml"
    assert response.headers["content-security-policy"] == "default-src 'none'; style-src 'unsafe-inline'; sandbox"


async def test_only_the_exact_name_is_found(
    anonymous: httpx.AsyncClient, shop: Shop, owner_connection: OwnerConnection, resources: Resources
) -> None:
    """Neither another site's, nor another brand's, nor an original."""
    added = await add_picture(owner_connection, resources, shop, SMALL)
    name = f"{DIGEST}-640.webp"
    assert (await anonymous.get(path_of(shop, name))).status_code == 200
    for path in (
        path_of(shop, name, OTHER_BRAND),
        path_of(shop, name).replace(f"-{shop.ref}-", f"-{shop.ref + 1}-"),
        path_of(shop, f"{DIGEST}-320.webp"),
        path_of(shop, name.upper()),
        f"/account/media/{name}",
        f"/account/media/{added.original_key.replace('/', '-')}",
        f"/account/media/{added.original_key.replace('/', '%2F')}",
        path_of(shop, name).replace("/1-", f"/{'9' * 19}-"),
        path_of(shop, name).replace("/1-", "/01-"),
    ):
        response = await anonymous.get(path)
        assert (response.status_code, response.json()["code"]) == (404, "notFound"), path


@pytest.mark.parametrize(
    "deletion", ["delete from media", "update sites set deleted_at = now()"], ids=["the picture", "the site"]
)
async def test_what_is_deleted_is_gone_at_once(
    library: Library, anonymous: httpx.AsyncClient, owner_connection: OwnerConnection, deletion: str
) -> None:
    media = await library.upload()
    assert (await anonymous.get(media["url"])).status_code == 200
    await owner_connection.execute(deletion)
    assert (await anonymous.get(media["url"])).status_code == 404


async def test_the_account_holder_sees_pictures_of_an_unpublished_site(
    library: Library, anonymous: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    """In the thumbnail of the home page and in the preview of a template."""
    media = await library.upload()
    await owner_connection.execute(
        "update profiles set fields = jsonb_build_object('featureimage', $1::text)", f"media:{media['ref']}"
    )
    await log_in(anonymous)
    for page in (
        f"/account/sites/{library.site_ref}/home",
        f"/template-picker/preview?siteRef={library.site_ref}&templateRef={ATELIER}",
    ):
        html = (await anonymous.get(page)).text
        [shown] = set(re.findall(r'src="(/account/media/[^"]+)"', html))
        assert (await anonymous.get(shown)).headers["content-type"] == "image/webp"
