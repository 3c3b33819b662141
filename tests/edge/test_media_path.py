"""The whole path of a picture: uploaded by the API, encoded by the worker, published, served by the edge server."""

import re
from collections.abc import AsyncIterator, Callable

import httpx
import msgspec
import pytest

from sitewright.app import create_app
from sitewright.edge.app import SiteListener
from sitewright.kit.opened import Opened
from sitewright.kit.resources import Resources
from sitewright.sites.media import variants
from sitewright.sites.media.pictures.service import Format
from sitewright.sites.media.storage import service as storage
from tests.edge.conftest import SwappableListener
from tests.edge.shops import Visitor
from tests.support.cast import OWN_BRAND, Cast, SignedBy
from tests.support.customers import done
from tests.support.http_clients import http_client
from tests.support.pictures import picture
from tests.support.s3_server import Bucket, s3_url
from tests.support.serving import serve
from tests.support.sites import make_domain, make_page, make_site, make_widget
from tests.support.users import OwnerConnection

__all__ = ["s3_url"]
HOST = "bar.example"
PICTURE = picture(Format.JPEG, 700, 500)


@pytest.fixture(params=["postgresql", "s3"])
async def stored(request: pytest.FixtureRequest, resources: Resources) -> AsyncIterator[Resources]:
    """With each of the stores; the URL of the S3 server is only needed with S3."""
    if request.param == "postgresql":
        yield resources
        return
    bucket = Bucket(request.getfixturevalue("s3_url"))
    own = msgspec.structs.replace(resources, settings=bucket.settings(resources.settings), opened=Opened())
    yield own
    assert bucket.keys() == []
    await own.opened.close()


@pytest.fixture
async def api(stored: Resources, cast: Cast, clean: None) -> AsyncIterator[httpx.AsyncClient]:
    """A server of its own, with that store."""
    async with serve(create_app(stored)) as url, http_client(url, auth=SignedBy(cast.owner)) as client:
        yield client


@pytest.fixture
async def site(owner_connection: OwnerConnection, stored: Resources, clean: None) -> int:
    site_ref = await make_site(owner_connection, stored)
    domain_ref = await make_domain(owner_connection, OWN_BRAND, site_ref, HOST)
    await owner_connection.execute("update sites set primary_domain_ref = $2 where ref = $1", site_ref, domain_ref)
    return site_ref


NewGuest = Callable[[], Visitor]


@pytest.fixture
def new_guest(edge_server: tuple[SwappableListener, str], visitor: Visitor, stored: Resources) -> NewGuest:
    """A visitor of an edge server with that store, whose caches are empty."""

    def new() -> Visitor:
        edge_server[0].listener = SiteListener(stored)
        return visitor

    return new


async def test_from_the_upload_to_the_visitor(
    api: httpx.AsyncClient, new_guest: NewGuest, site: int, stored: Resources, owner_connection: OwnerConnection
) -> None:
    media = await done(api.post(f"/sites/{site}/media", files={"file": PICTURE}, data={"alt": "The bar"}))
    ref = media["media"]["ref"]
    page_ref = await make_page(owner_connection, OWN_BRAND, site)
    widget_ref = await make_widget(owner_connection, OWN_BRAND, site, page_ref, type="widget.image")
    await done(api.put(f"/sites/{site}/widgets/{widget_ref}", json={"values": {"src": f"media:{ref}"}}))
    for _ in range(2):  # WebP and the fallback, then AVIF
        await variants.LOOP.run_once(stored)
    await done(api.post(f"/sites/{site}/publish"))

    guest = new_guest()
    page = (await guest.get(host=HOST)).text
    [shown] = re.findall(r"<picture>.*?</picture>", page, re.DOTALL)
    assert 'alt="The bar"' in shown and 'width="700" height="500"' in shown
    sources = dict(re.findall(r'<source type="([^"]+)" srcset="([^"]+)"', shown))
    named = {each: addresses.split()[0] for each, addresses in sources.items()}
    [named["image/jpeg"]] = re.findall(r'<img src="([^"]+)"', shown)
    assert list(named) == ["image/avif", "image/webp", "image/jpeg"]
    for media_type, path in named.items():
        await check_served(guest, path, media_type)

    await check_forced_deletion(api, new_guest, site, ref, list(named.values()))
    await storage.purge(stored)  # which leaves nothing in either store


async def check_served(guest: Visitor, path: str, media_type: str) -> None:
    whole = await guest.get(path, HOST)
    assert (whole.status_code, whole.headers["content-type"]) == (200, media_type)
    assert whole.headers["cache-control"] == "public, max-age=31536000, immutable"
    etag = whole.headers["etag"]
    part = await guest.get(path, HOST, headers={"Range": "bytes=10-19", "If-Range": etag})
    assert (part.status_code, part.content) == (206, whole.content[10:20])
    unchanged = await guest.get(path, HOST, headers={"If-None-Match": etag})
    assert (unchanged.status_code, unchanged.content) == (304, b"")


async def check_forced_deletion(
    api: httpx.AsyncClient, new_guest: NewGuest, site: int, ref: int, paths: list[str]
) -> None:
    """The published page shows an empty space (decision 0093), and the next one nothing at all."""
    refused = await api.delete(f"/sites/{site}/media/{ref}")
    assert (refused.status_code, refused.json()["code"]) == (409, "mediaInUse")
    await done(api.delete(f"/sites/{site}/media/{ref}", params={"force": 1}))
    before = await new_guest().get(host=HOST)
    for path in paths:
        assert path in before.text
        gone = await new_guest().get(path, HOST)
        assert (gone.status_code, gone.headers["content-type"], len(gone.content)) == (404, "image/gif", 43)
        assert gone.headers["cache-control"] == "no-cache"
    await done(api.post(f"/sites/{site}/publish"))
    after = await new_guest().get(host=HOST)
    assert (after.status_code, "_media" in after.text, "The bar" in after.text) == (200, False, False)
