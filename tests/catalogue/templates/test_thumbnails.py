"""GET /resources/templates/<directory>/<thumbnail>."""

import xml.etree.ElementTree as ET

import httpx
import pytest


async def test_every_template_has_its_thumbnail(owner: httpx.AsyncClient, anonymous: httpx.AsyncClient) -> None:
    pictures = set()
    for template in (await owner.get("/v2/templates")).json()["templates"]:
        response = await anonymous.get(f"/resources/templates/{template['directory']}/{template['thumbnail']}")
        assert response.status_code == 200
        assert response.headers["content-type"] == "image/svg+xml"
        assert response.headers.get_list("cache-control") == ["public, max-age=86400"]
        assert ET.fromstring(response.content).tag == "{http://www.w3.org/2000/svg}svg"  # noqa: S314 - our own file
        pictures.add(response.content)
    assert len(pictures) == 4


@pytest.mark.parametrize(
    "path",
    [
        "coffee-house/atelier.svg",
        "coffee-house/../coffee-house.svg",
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
