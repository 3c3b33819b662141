"""Holding and offline pages show the brand, contain all that they need, and are compressed."""

import re

from sitewright.kit.ui.pictures import Picture
from tests.edge.shops import Shop, Visitor, kind_of

LOGO = Picture("image/svg+xml", b'<svg xmlns="http://www.w3.org/2000/svg"/>')


async def test_an_offline_site_shows_the_brand(visitor: Visitor, shop: Shop) -> None:
    await shop.owner.execute(
        "update brands set logo = $1, accent_colour = '#ff8800' where brand_ref = 1", LOGO.data_url
    )
    await shop.set(live=False)
    response = await visitor.get("/")
    assert kind_of(response) == (503, "offline")
    assert f'<img src="{LOGO.data_url}" alt="Northwind Hosting">' in response.text
    assert "--accent:#" in response.text
    policy = response.headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "img-src data:" in policy
    assert not re.search(r"<script|<link rel=\"stylesheet\"| src=\"(?!data:)", response.text)


async def test_a_free_name_below_a_brands_domain_shows_the_brand(visitor: Visitor, shop: Shop) -> None:
    response = await visitor.get("/", host="free.northwind.example")
    assert kind_of(response) == (404, "holding")
    assert "Northwind Hosting" in response.text


async def test_other_names_show_no_brand(visitor: Visitor, shop: Shop) -> None:
    response = await visitor.get("/", host="nobody.example")
    assert kind_of(response) == (404, "holding")
    assert "Northwind" not in response.text


async def test_built_in_pages_are_compressed(visitor: Visitor, shop: Shop) -> None:
    await shop.set(live=False)
    packed = await visitor.get("/", headers={"Accept-Encoding": "gzip"})
    plain = await visitor.get("/", headers={"Accept-Encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert int(packed.headers["content-length"]) < int(plain.headers["content-length"]) / 2
    assert "content-encoding" not in plain.headers
    assert packed.text == plain.text
