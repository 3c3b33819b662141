"""Customers created through the API, from the user to the published site."""

from collections.abc import Awaitable
from typing import Any

import httpx
import msgspec

from tests.support.cast import OWN_BRAND

MAIN_ZONE = "page-zones__main"


class Customer(msgspec.Struct, frozen=True):
    """A user with one site. Every request must succeed."""

    client: httpx.AsyncClient
    user_ref: int
    site: dict[str, Any]
    """The site as it was created."""

    @property
    def path(self) -> str:
        return f"/sites/{self.site['ref']}"

    @property
    def host(self) -> str:
        name: str = self.site["primaryDomain"]["domainName"]
        return name

    async def update_profile(self, **profile: str) -> None:
        fields = [{"name": name, "value": value} for name, value in profile.items()]
        path = f"/users/{self.user_ref}/profiles/{self.site['profileRef']}"
        await done(self.client.put(path, json={"fields": fields}))

    async def add_page(self, url: str, title: str) -> int:
        body = {"pageUrl": url, "type": "page", "title": title, "status": "active"}
        ref: int = (await done(self.client.post(f"{self.path}/pages", json=body)))["page"]["ref"]
        return ref

    async def add_widget(self, page_ref: int, kind: str, name: str, parent_id: str = MAIN_ZONE, **values: str) -> int:
        body = {"collection": "widgets", "name": name, "parentId": parent_id, "type": f"widget.{kind}"}
        response = await done(
            self.client.post(f"{self.path}/widgets", json=body | {"pageRef": page_ref, "values": values})
        )
        ref: int = response["widget"]["ref"]
        return ref

    async def set_values(self, widget_ref: int, **values: str) -> None:
        await done(self.client.put(f"{self.path}/widgets/{widget_ref}", json={"values": values}))

    async def publish(self) -> int:
        version_ref: int = (await done(self.client.post(f"{self.path}/publish")))["versionRef"]
        return version_ref


def new_user(**changes: Any) -> dict[str, Any]:
    """A body that creates a user; None leaves a field out."""
    body = {
        "brandRef": OWN_BRAND,
        "firstName": "Ann",
        "lastName": "Example",
        "username": "ann",
        "password": "correct horse",
        "email": "ann@mail.example",
        "languageCode": "en",
    }
    return {name: value for name, value in (body | changes).items() if value is not None}


async def make_customer(
    client: httpx.AsyncClient, brand_ref: int, domain: str, *, package_ref: int | None = None, **site: Any
) -> Customer:
    """With `package_ref`, otherwise the brand's default package; `site` has further fields of the site's body."""
    user = new_user(brandRef=brand_ref, username=domain, email=f"owner@{domain}")
    user_ref = (await done(client.post("/users", json=user)))["accountHolder"]["ref"]
    if package_ref is not None:
        body = {"packageRef": package_ref, "billingFrequency": 1}
        await done(client.post(f"/users/{user_ref}/account-packages", json=body))
    body = {"accountHolderRef": user_ref, "brandRef": brand_ref, "domain": domain} | site
    return Customer(client, user_ref, (await done(client.post("/sites", json=body)))["site"])


async def done(sending: Awaitable[httpx.Response]) -> Any:
    """The decoded response."""
    response = await sending
    assert response.is_success, (
        f"{response.request.method} {response.request.url}: {response.status_code} {response.text}"
    )
    return response.json() if response.content else None
