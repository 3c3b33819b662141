"""A site whose every value is hostile, written through the API: all ways in."""

import asyncio
import json
from collections.abc import Iterator
from itertools import cycle
from typing import Any

import httpx
import msgspec

from sitewright.kit import clock
from sitewright.sites.content.schemas import WidgetType
from sitewright.sites.content.widget_types.service import types_in
from tests.support.cast import OWN_BRAND
from tests.support.customers import Customer, done, make_customer
from tests.support.hostile_html import Vectors, hostile_vectors
from tests.support.service import Service, owner_of
from tests.support.users import insert

AT_ONCE = 10
"""Vectors in one raw HTML or rich text, where they leave no tag open."""
ROWS = 8
LONGEST_NAME = 200
PROFILE = (
    "business", "headline", "strapline", "companydescription", "copyright", "address1", "city", "postcode", "phone",
    "openinghours", "metadescription",
)  # fmt: skip
PARTS = ("announcement", "hero", "closing", "header", "footer")
PAGE_TITLES = 12
STAFF = 40


class Planted(msgspec.Struct, frozen=True):
    customer: Customer
    vectors: Vectors
    home: int
    """The page with raw HTML."""
    texts: int
    """The page with a widget of each other type."""
    rich_text: int
    message: int
    pictures: list[str]
    """Addresses of the pictures that the service accepted."""


class Planter:
    def __init__(self, customer: Customer, vectors: Vectors) -> None:
        self.customer, self.client, self.vectors = customer, customer.client, vectors
        self.html: Iterator[str] = cycle(vectors.html)
        self.urls: Iterator[str] = cycle(vectors.urls)

    async def add_raw_html(self, page: int) -> None:
        """Vectors that leave a tag open are in a widget of their own."""
        whole = [each for each in self.vectors.html if not each.startswith(tuple(_TAGS_THAT_END))]
        ended = [each for each in self.vectors.html if each not in whole]
        groups = ["".join(ended[at : at + AT_ONCE]) for at in range(0, len(ended), AT_ONCE)]
        for number, html in enumerate([*groups, *whole]):
            await self.customer.add_widget(page, "html", f"raw{number}", html=html)

    async def invite_staff(self) -> None:
        """Names that the console shows."""
        for html in self.vectors.html[:STAFF]:
            person = {"name": html[:150], "email": "kim@brand.example", "role": "viewer"}
            await done(self.client.post("/operator-invitations", json=person))

    async def add_rich_text(self, page: int) -> int:
        links = "".join(f'<p><a href="{url}" title="{url}">x</a></p>' for url in self.vectors.urls)
        text = await self.customer.add_widget(page, "content", "links", content=links)
        vectors = self.vectors.html
        for at in range(0, len(vectors), 2 * AT_ONCE):
            html = "".join(vectors[at : at + 2 * AT_ONCE])
            await self.customer.add_widget(page, "content", f"rich{at}", content=html)
        return text

    async def add_every_type(self, page: int) -> None:
        for each in types_in("en"):
            kind = each.type.removeprefix("widget.")
            if kind not in ("html", "content", "columns"):
                await self.customer.add_widget(page, kind, kind, **self._values(each))

    def _values(self, widget_type: WidgetType) -> dict[str, str]:
        values = {}
        for each in widget_type.values:
            if each.type == "list":
                values[each.name] = json.dumps([self._row(each.items) for _ in range(ROWS)])
            elif (value := self._value(each.type)) is not None:
                values[each.name] = value
        return values

    def _row(self, items: Any) -> dict[str, str]:
        return {item.name: self._value(item.type) or item.example for item in items}

    def _value(self, kind: str) -> str | None:
        if kind in ("url", "image"):
            return next(self.urls)
        return next(self.html) if kind in ("text", "richText", "html") else None

    async def add_pages(self) -> int:
        """Titles, descriptions and scripts of pages. An address with other characters than letters is refused."""
        refused = 0
        for number in range(PAGE_TITLES):
            body = {"pageUrl": f"p{number}", "type": "page", "status": "active", "title": next(self.html)[:200]}
            body |= {"seoTitle": next(self.html)[:200], "description": next(self.html), "keywords": next(self.html)}
            body |= {"headscript": next(self.html), "bodyscript": next(self.html)}
            await done(self.client.post(f"{self.customer.path}/pages", json=body))
            hostile = {"pageUrl": next(self.html)[:200], "type": "page", "status": "active", "title": "x"}
            refused += (await self.client.post(f"{self.customer.path}/pages", json=hostile)).status_code == 400
        return refused

    async def set_values(self) -> None:
        for part in PARTS:
            body = {"values": {"text": next(self.html), "url": next(self.urls), "title": next(self.html)}}
            await done(self.client.put(f"{self.customer.path}/static-values/{part}", json=body))
        for name in ("headscript", "bodyscript", "footerscript", "css"):
            script = {"name": name, "value": next(self.html)}
            await done(self.client.post(f"{self.customer.path}/global-values", json=script))

    async def describe_the_owner(self) -> None:
        texts = {name: next(self.html)[:250] for name in PROFILE}
        links = {name: next(self.urls)[:250] for name in ("logo", "featureimage", "twitter", "facebook", "website")}
        await self.customer.update_profile(**texts, **links)
        names = {"firstName": next(self.html)[:100], "lastName": next(self.html)[:100]}
        await done(self.client.put(f"/users/{self.customer.user_ref}", json=names))

    async def add_redirects(self, page: int) -> list[str]:
        """Addresses of redirects that were accepted."""
        for number, url in enumerate(self.vectors.urls):
            body = {"from": f"old{number}", "url": url}
            await self.client.post(f"{self.customer.path}/redirects", json=body)
        await self.client.post(f"{self.customer.path}/redirects", json={"from": next(self.html), "pageRef": page})
        listed = (await done(self.client.get(f"{self.customer.path}/redirects?limit=100")))["redirects"]
        return [each["url"] for each in listed]

    async def upload_pictures(self) -> list[str]:
        """SVG pictures with hostile content, names and alternative texts; those that are accepted are sanitized."""
        uploads = [self._upload(each) for each in self.vectors.svgs]
        return [each for each in await asyncio.gather(*uploads) if each is not None]

    async def _upload(self, picture: bytes) -> str | None:
        name, alt = next(self.html)[:LONGEST_NAME], next(self.html)[:LONGEST_NAME]
        files = {"file": ("x.svg", picture, "image/svg+xml")}
        response = await self.client.post(f"{self.customer.path}/media", files=files, data={"name": name, "alt": alt})
        if response.status_code == 400:
            return None
        url: str = (await _body(response))["media"]["url"]
        return url


_TAGS_THAT_END = (
    "<img src=x", "<svg on", "<svg \non", "<svg /on", "<details", "<input autofocus", "<video src", "<a tabindex",
    "<div style='anim", "<math><mi", "<marquee", "<body",
)  # fmt: skip


async def _body(response: httpx.Response) -> Any:
    assert response.is_success, response.text
    return response.json()


async def plant(service: Service, client: httpx.AsyncClient, host: str) -> Planted:
    vectors = hostile_vectors()
    pro = service.demo["brands"][0]["packages"]["pro"]
    customer = await make_customer(client, OWN_BRAND, host, package_ref=pro)
    planter = Planter(customer, vectors)
    home = await customer.add_page("home", next(planter.html)[:200])
    texts = await customer.add_page("texts", next(planter.html)[:200])
    await planter.add_raw_html(home)
    rich_text = await planter.add_rich_text(texts)
    await planter.add_every_type(texts)
    assert await planter.add_pages() == PAGE_TITLES
    await planter.set_values()
    await planter.describe_the_owner()
    assert all(url.startswith(("http://", "https://")) for url in await planter.add_redirects(home) if url)
    await planter.invite_staff()
    message = await plant_visitors(service, customer, planter)
    pictures = await planter.upload_pictures()
    assert pictures, "no picture was accepted"
    await customer.publish()
    return Planted(customer, vectors, home, texts, rich_text, message, pictures)


async def plant_visitors(service: Service, customer: Customer, planter: Planter) -> int:
    """Visitors write messages, and request paths from sites with hostile names."""
    site_ref, now = customer.site["ref"], clock.now()
    message = {"brand_ref": OWN_BRAND, "site_ref": site_ref, "page": next(planter.html), "name": next(planter.html)}
    message |= {"email": next(planter.html), "message": next(planter.html), "visitor": b"x", "at": now}
    async with owner_of(service) as connection:
        for kind in ("page", "referrer") * ROWS:
            visit = {"brand_ref": OWN_BRAND, "site_ref": site_ref, "day": now.date(), "kind": kind}
            names = ", ".join([*visit, "name", "views", "visits"])
            values = [*visit.values(), next(planter.html), 1, 1]
            await connection.execute(f"insert into site_visits ({names}) values ($1, $2, $3, $4, $5, $6, $7)", *values)
        return await insert(connection, "contact_messages", message)
