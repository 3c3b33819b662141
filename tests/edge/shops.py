"""Published sites created by SQL, and an HTTP client for them."""

import gzip
import hashlib
import json
from collections.abc import Mapping
from typing import Any

import httpx
import msgspec

from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.support.cast import OWN_BRAND
from tests.support.sites import make_site
from tests.support.users import OwnerConnection, insert
from tests.support.wire import exchange

HOST = "shop.example"
FILES = {
    "": "<h1>Home</h1>",
    "about": "<h1>About us</h1>",
    "food/menu": "<h1>Menu</h1>",
    "_site/style.css": "h1 { color: teal }",
    ":not-found": "<h1>Nothing to see</h1>",
    ":pages": json.dumps([{"path": "", "lastmod": "2026-01-02"}, {"path": "about"}, {"path": "food/menu"}]),
}
TYPES = {"_site/style.css": "text/css; charset=utf-8", ":pages": "application/json"}


class Shop(msgspec.Struct, frozen=True):
    """A site that is online, with methods to change it."""

    owner: OwnerConnection
    brand_ref: int
    ref: int

    async def publish(self, files: Mapping[str, str], version_ref: int) -> None:
        """Insert a version as publishing does: all files, then the switch to it."""
        async with self.owner.transaction():
            await self.owner.execute(
                "insert into site_versions (brand_ref, site_ref, version_ref, published_at) values ($1, $2, $3, $4)",
                self.brand_ref,
                self.ref,
                version_ref,
                clock.now(),
            )
            for path, text in files.items():
                await self.put(version_ref, path, text)
            await self.set(version_ref=version_ref, last_version_ref=version_ref, live=True)

    async def put(self, version_ref: int, path: str, text: str) -> None:
        await self.owner.execute(
            "insert into site_files (brand_ref, site_ref, version_ref, path, content_type, etag, body)"
            " values ($1, $2, $3, $4, $5, $6, $7)",
            self.brand_ref,
            self.ref,
            version_ref,
            path,
            TYPES.get(path, "text/html; charset=utf-8"),
            f'"{tag_of(text)}"',
            gzip.compress(text.encode(), 6, mtime=0),
        )

    async def set(self, **columns: Any) -> None:
        names = ", ".join(f"{name} = ${number}" for number, name in enumerate(columns, 2))
        await self.owner.execute(f"update sites set {names} where ref = $1", self.ref, *columns.values())

    async def map(self, domain: str, *, primary: bool = False) -> int:
        row = {"brand_ref": self.brand_ref, "site_ref": self.ref, "domain": domain, "created_at": clock.now()}
        ref = await insert(self.owner, "site_domains", row)
        if primary:
            await self.set(primary_domain_ref=ref)
        return ref


def tag_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


async def open_shop(
    owner: OwnerConnection,
    resources: Resources,
    *domains: str,
    brand_ref: int = OWN_BRAND,
    files: Mapping[str, str] = FILES,
    **columns: Any,
) -> Shop:
    """The first domain is the primary one; `columns` are those of `sites`."""
    shop = Shop(owner, brand_ref, await make_site(owner, resources, brand_ref, **columns))
    for number, domain in enumerate(domains or (HOST,)):
        await shop.map(domain, primary=number == 0)
    await shop.publish(files, 1)
    return shop


class Visitor:
    """An HTTP client that sends the site's Host and does not follow redirects."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client
        self.base_url = str(client.base_url)

    async def get(self, path: str = "/", host: str = HOST, method: str = "GET", **options: Any) -> httpx.Response:
        headers = {"Host": host} | options.pop("headers", {})
        return await self._client.request(method, path, headers=headers, **options)

    async def post(self, path: str, host: str = HOST, **options: Any) -> httpx.Response:
        return await self.get(path, host, "POST", **options)

    async def send(
        self, target: str | bytes, host: bytes = HOST.encode(), method: str = "GET", more: bytes = b""
    ) -> bytes:
        """Send a raw request with `target` unchanged."""
        target = target.encode() if isinstance(target, str) else target
        head = method.encode() + b" " + target + b" HTTP/1.1\r\nHost: " + host + b"\r\nConnection: close\r\n"
        return await exchange(self.base_url, head + more + b"\r\n")


def kind_of(response: httpx.Response) -> tuple[int, str]:
    return response.status_code, response.headers["x-sitewright-page"]
