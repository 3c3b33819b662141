"""Styles, scripts and fonts are served under names that change with their content."""

import re

import httpx
import pytest

from sitewright.kit.ui.assets import assets, url_of

IMMUTABLE = "public, max-age=31536000, immutable"


@pytest.mark.parametrize("name", sorted(assets()))
async def test_an_asset_is_cached_forever(anonymous: httpx.AsyncClient, name: str) -> None:
    address = url_of(name)
    assert address is not None
    response = await anonymous.get(address)
    assert (response.status_code, response.headers["cache-control"]) == (200, IMMUTABLE)
    assert response.content == assets()[name].body
    assert response.headers["x-content-type-options"] == "nosniff"


async def test_the_style_sheet_is_compressed(anonymous: httpx.AsyncClient) -> None:
    address = url_of("ui.css")
    assert address is not None
    response = await anonymous.get(address, headers={"accept-encoding": "gzip"})
    assert response.headers["content-encoding"] == "gzip"
    assert int(response.headers["content-length"]) < len(assets()["ui.css"].body) / 3
    assert response.content == assets()["ui.css"].body


async def test_another_releases_name_gets_the_current_file_for_a_short_time(anonymous: httpx.AsyncClient) -> None:
    response = await anonymous.get("/assets/ui-0123456789ab.css")
    assert (response.status_code, response.headers["cache-control"]) == (200, "public, max-age=60")


@pytest.mark.parametrize("name", ["nothing-0123456789ab.css", "ui.css", "..%2fassets.py", "ui-0123456789ab.py"])
async def test_anything_else_is_not_found(anonymous: httpx.AsyncClient, name: str) -> None:
    assert (await anonymous.get(f"/assets/{name}")).status_code == 404


def test_style_sheets_name_no_other_host() -> None:
    for asset in assets().values():
        if asset.name.endswith(".css"):
            text = asset.body.decode()
            assert "//" not in re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
            assert "@import" not in text


def test_every_style_uses_the_tokens_colors() -> None:
    """Only tokens.css has colors; others may name white, for frames that show other people's pages."""
    for asset in assets().values():
        if asset.name.endswith(".css") and asset.name != "ui.css":
            assert set(re.findall(r"#[0-9a-fA-F]{3,8}\b", asset.body.decode())) <= {"#fff"}
