"""Bundled fonts on the hosts of sites, and on the service's own host for previews."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.edge.shops import Shop, Visitor
from tests.support.bundled_fonts import CONTENT, LATIN, OTHER_RELEASES, bundled_fonts

IMMUTABLE, A_DAY = "public, max-age=31536000, immutable", "public, max-age=86400"


@pytest.fixture(autouse=True)
def fonts(tmp_path: Path) -> Iterator[None]:
    with bundled_fonts(tmp_path):
        yield


async def test_a_font_is_on_every_host_and_cached_forever(visitor: Visitor, shop: Shop) -> None:
    for host in (None, "unknown.example"):
        response = await visitor.get(f"/_site/fonts/{LATIN}", **({} if host is None else {"host": host}))
        assert (response.status_code, response.content) == (200, CONTENT[LATIN])
        assert response.headers["content-type"] == "font/woff2"
        assert response.headers["cache-control"] == IMMUTABLE
        assert response.headers["access-control-allow-origin"] == "*"
        assert response.headers["x-content-type-options"] == "nosniff"
    head = await visitor.get(f"/_site/fonts/{LATIN}", method="HEAD")
    assert (head.status_code, head.content) == (200, b"")
    known = await visitor.get(f"/_site/fonts/{LATIN}", headers={"If-None-Match": response.headers["etag"]})
    assert (known.status_code, known.content) == (304, b"")


async def test_a_snapshot_of_another_release_gets_the_current_file_for_a_day(visitor: Visitor, shop: Shop) -> None:
    response = await visitor.get(f"/_site/fonts/{OTHER_RELEASES}")
    assert (response.status_code, response.content) == (200, CONTENT[LATIN])
    assert response.headers["cache-control"] == A_DAY


@pytest.mark.parametrize("name", ["", "nothing-latin.0123456789ab.woff2", "..%2fmanifest.json", "%ff", "manifest.json"])
async def test_any_other_name_is_not_found(visitor: Visitor, shop: Shop, name: str) -> None:
    response = await visitor.get(f"/_site/fonts/{name}")
    assert (response.status_code, response.headers["cache-control"]) == (404, "no-store")


async def test_a_font_is_only_read(visitor: Visitor, shop: Shop) -> None:
    assert (await visitor.get(f"/_site/fonts/{LATIN}", method="POST")).status_code == 405


async def test_the_services_own_host_has_them_for_previews(anonymous: httpx.AsyncClient) -> None:
    response = await anonymous.get(f"/_site/fonts/{LATIN}")
    assert (response.status_code, response.content) == (200, CONTENT[LATIN])
    assert response.headers["cache-control"] == IMMUTABLE
    assert response.headers["access-control-allow-origin"] == "*"
    other = await anonymous.get(f"/_site/fonts/{OTHER_RELEASES}")
    assert (other.status_code, other.headers["cache-control"]) == (200, A_DAY)
    assert (await anonymous.get("/_site/fonts/nothing.woff2")).status_code == 404
