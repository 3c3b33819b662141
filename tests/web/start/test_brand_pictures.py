"""Logo and favicon of a brand, on the service's own host."""

import re

import httpx
import pytest

from sitewright.kit.ui.pictures import Picture
from tests.support.browsing import assert_loads_nothing_else
from tests.support.users import OwnerConnection

LOGO = Picture("image/svg+xml", b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
ICON = Picture("image/png", b"\x89PNG\r\n\x1a\n" + bytes(8))


@pytest.fixture
async def addresses(anonymous: httpx.AsyncClient, owner_connection: OwnerConnection, clean: None) -> list[str]:
    """The addresses of logo and favicon, as the log-in page links them."""
    await owner_connection.execute(
        "update brands set logo = $1, favicon = $2 where brand_ref = 1", LOGO.data_url, ICON.data_url
    )
    page = await anonymous.get("/login?brandRef=1")
    assert 'alt="Northwind Hosting"' in page.text
    assert_loads_nothing_else(page)
    return sorted(re.findall(r'"(/resources/brands/[^"]+)"', page.text))


async def test_pages_link_to_the_pictures(anonymous: httpx.AsyncClient, addresses: list[str]) -> None:
    icon, logo = [await anonymous.get(address) for address in addresses]
    assert (logo.content, logo.headers["content-type"]) == (LOGO.content, LOGO.media_type)
    assert (icon.content, icon.headers["content-type"]) == (ICON.content, ICON.media_type)
    assert "immutable" in logo.headers["cache-control"]


async def test_a_picture_opened_by_itself_runs_no_script(anonymous: httpx.AsyncClient, addresses: list[str]) -> None:
    policy = (await anonymous.get(addresses[1])).headers["content-security-policy"]
    assert "sandbox" in policy
    assert "default-src 'none'" in policy
    assert "script-src" not in policy


async def test_other_names_brands_and_digests_are_not_found(anonymous: httpx.AsyncClient, addresses: list[str]) -> None:
    logo = addresses[1]
    wrong = [logo[:-1] + ("0" if logo[-1] != "0" else "1"), logo.replace("/1/", "/2/"), logo.replace("logo-", "name-")]
    wrong += [logo.replace("logo-", "favicon-"), logo.replace("/1/", "/x/"), logo.replace("/1/", "/999999/")]
    for address in wrong:
        assert (await anonymous.get(address)).status_code == 404
