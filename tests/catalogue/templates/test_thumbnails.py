"""GET /resources/templates/<directory>/<thumbnail>."""

import io

import httpx
import pytest
from PIL import Image


async def test_every_template_has_its_thumbnail(owner: httpx.AsyncClient, anonymous: httpx.AsyncClient) -> None:
    pictures = set()
    for template in (await owner.get("/v2/templates")).json()["templates"]:
        response = await anonymous.get(f"/resources/templates/{template['directory']}/{template['thumbnail']}")
        assert response.status_code == 200
        assert response.headers["content-type"] == "image/webp"
        assert response.headers.get_list("cache-control") == ["public, max-age=86400"]
        assert Image.open(io.BytesIO(response.content)).size == (640, 480)
        pictures.add(response.content)
    assert len(pictures) == 10


async def test_a_catalogue_of_an_earlier_release_gets_the_current_picture(anonymous: httpx.AsyncClient) -> None:
    response = await anonymous.get("/resources/templates/coffee-house/coffee-house.svg")
    assert (response.status_code, response.headers["content-type"]) == (200, "image/webp")


@pytest.mark.parametrize(
    "path",
    [
        "coffee-house/atelier.webp",
        "coffee-house/../coffee-house.webp",
        "coffee-house/coffee-house.txt",
        "coffee-house/%2e%2e%2fcatalogue.yaml",
        "..%2f..%2fdemo/service.py",
        "%2e%2e/catalogue.yaml",
        "coffee-house/coffee-house.svg%00",
        "coffee-house/",
        "unknown/unknown.svg",
    ],
)
async def test_other_files_are_not_served(anonymous: httpx.AsyncClient, path: str) -> None:
    response = await anonymous.get(f"/resources/templates/{path}")
    assert (response.status_code, response.headers["cache-control"]) == (404, "no-store")
