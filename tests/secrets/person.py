"""A person with everything the service can store about an account holder and their sites, each value unique."""

from typing import Any

import httpx
from PIL.PngImagePlugin import PngInfo

from sitewright.sites.media.pictures.service import Format
from tests.secrets.canaries import Canary, invented
from tests.secrets.installation import Installation
from tests.support.customers import Customer, done
from tests.support.eventually import eventually
from tests.support.packages import DOMAIN, PRO
from tests.support.pictures import picture
from tests.support.receiver import Arrived, Reply, reply

PICTURE = "metadata of a picture"
"""In the bytes of an original, which the worker deletes after the rows that name them are gone."""
DETAILS = (
    "firstName", "lastName", "username", "phoneNumber", "address1", "address2", "city", "state", "postcode", "country",
    "company", "cpfNumber",
)  # fmt: skip


class Person:
    def __init__(self, installation: Installation) -> None:
        self.installation = installation
        self.values: dict[str, Canary] = {}
        self.repeatable: list[tuple[str, Any, str]] = []
        """Requests that were sent with an Idempotency-Key: path, body and key."""
        self.user_ref = 0
        self.sites: list[Customer] = []

    def text(self, name: str) -> str:
        """The value of this name; planted when it is first used."""
        return self.values.setdefault(name, invented(name)).text

    @property
    def hosts(self) -> list[str]:
        return [name for name in self.values if name.startswith("host")]

    async def once(self, path: str, body: Any) -> Any:
        """Send a POST with a new idempotency key, so that the service stores the response."""
        key = f"key {len(self.repeatable)}"
        self.repeatable.append((path, body, key))
        return await self.installation.post(path, body, headers={"Idempotency-Key": key})

    async def again(self, path: str, body: Any, key: str) -> httpx.Response:
        return await self.installation.client.post(path, json=body, headers={"Idempotency-Key": key})

    async def sign_up(self) -> None:
        """Created under other names first, since values from before a change must not remain either."""
        texts = {name: self.text(f"former {name}") for name in DETAILS}
        pair = {"name": self.text("metadata name"), "value": self.text("metadata value")}
        body = texts | {"brandRef": 1, "languageCode": "en", "password": "correct horse", "metadata": [pair]}
        user = await self.once("/users", body | {"email": f"{self.text('former email')}@mail.example"})
        self.user_ref = user["accountHolder"]["ref"]
        changes = {name: self.text(name) for name in DETAILS} | {"email": f"{self.text('email')}@mail.example"}
        path = f"/users/{self.user_ref}"
        await done(self.installation.client.put(path, json=changes | {"password": "battery staple"}))
        await self.installation.expect(409, "POST", "/users", json=body | changes)
        await self.once(f"{path}/account-packages", {"packageRef": PRO, "billingFrequency": 1})

    async def add_site(self, number: int) -> Customer:
        """Create a site with a unique value in every part of it."""
        body = {"accountHolderRef": self.user_ref, "brandRef": 1, "domain": self.host(number)}
        site = Customer(self.installation.client, self.user_ref, (await self.once("/sites", body))["site"])
        self.sites.append(site)
        await self.installation.expect(409, "POST", "/sites", json=body)
        await self.once(f"{site.path}/domains", {"domain": f"www.{self.text(f'host, the second of {number}')}.example"})
        await site.update_profile(business=self.text("business"), email=f"{self.text('business email')}@mail.example")
        page_ref = await self._add_page(site)
        widget = {"collection": "widgets", "name": "w", "parentId": "page-zones__main", "type": "widget.content"}
        values = {"content": self.text("widget content")}
        await self.once(f"{site.path}/widgets", widget | {"pageRef": page_ref, "values": values})
        await self.once(f"{site.path}/global-values", {"name": "headscript", "value": self.text("global value")})
        change = {"kind": "setGlobalValue", "name": "bodyscript", "value": self.text("value set by a change")}
        await self.once(f"{site.path}/changes", {"id": "change", "change": change})
        static = {"name": self.text("name of a static value"), "value": self.text("static value")}
        await done(self.installation.client.put(f"{site.path}/static-values/footer", json=static))
        await self._upload(site)
        await self.once(f"/ssl-certs/{self.host(number)}/domain-validation", self._validation())
        await site.publish()
        await self.installation.visit(200, self.installation.service.site_url, headers={"Host": self.host(number)})
        return site

    async def _add_page(self, site: Customer) -> int:
        """A page whose former address is kept as a redirect, and another redirect to it."""
        page = {"pageUrl": self.text("former page url"), "title": self.text("page title"), "status": "active"}
        ref: int = (await self.once(f"{site.path}/pages", page))["page"]["ref"]
        moved = {"pageUrl": self.text("page url")}
        await done(self.installation.client.put(f"{site.path}/pages/{ref}", json=moved))
        await self.once(f"{site.path}/redirects", {"from": self.text("path of a redirect"), "pageRef": ref})
        return ref

    async def _upload(self, site: Customer) -> None:
        """A picture that has a name, an alternative text, and metadata, which only the original keeps."""
        metadata = PngInfo()
        metadata.add_text("Comment", self.text(PICTURE))
        content = picture(Format.PNG, pnginfo=metadata)
        form = {"name": self.text("name of a picture"), "alt": self.text("alternative text")}
        await done(self.installation.client.post(f"{site.path}/media", files={"file": content}, data=form))

    def _validation(self) -> dict[str, str]:
        return {"hash": "abc", "content": self.text("file for a certificate authority")}

    def host(self, number: int) -> str:
        return f"{self.text(f'host {number}').lower()}.example"

    async def add_domains(self) -> int:
        """One domain that is released again, and one with a mailbox, which stays registered; returns its ref."""
        given_up, kept = [await self._buy(name) for name in ("domain given up", "host of a domain still registered")]
        path = f"/users/{self.user_ref}/domains/{kept}/mailboxes/{self.text('mailbox')}"
        await done(self.installation.client.put(path, json={"password": "correct horse"}))
        await done(self.installation.client.delete(f"/account-domains/{given_up}"))
        return kept

    async def _buy(self, name: str) -> int:
        body = {"domainName": f"{self.text(name)}.com", "packageRef": DOMAIN}
        ref: int = (await self.once(f"/users/{self.user_ref}/account-domains", body))["accountDomain"]["ref"]

        async def is_active() -> bool:
            domain = (await done(self.installation.client.get(f"/account-domains/{ref}")))["accountDomain"]
            return bool(domain["active"])

        await eventually(is_active)
        return ref

    async def subscribe_receiver(self) -> None:
        """A receiver that fails, and quotes everything it received."""

        def echo(arrived: Arrived) -> Reply:
            return reply(500, arrived.body)

        self.installation.receiver.respond = echo
        hook = {"event": "site.publish", "url": self.installation.receiver.url, "active": True}
        await self.installation.post("/webhooks/subscription", hook)

    async def queue_mails_and_a_job(self) -> None:
        """Create work that waits for a worker: a job, and mails. Then suspend the person."""
        link = {"loginLink": "https://northwind.example/login"}
        await self.once("/users/forgotten-password", {"username": self.text("username")} | link)
        verify = {"verificationUrl": f"https://northwind.example/{self.text('link to verify')}"}
        await self.once(f"/users/{self.user_ref}/send-verification-email", verify)
        form = {"name": self.text("visitor's name"), "message": self.text("visitor's message"), "website": ""}
        form |= {"email": f"{self.text('visitors email')}@mail.example", "page": ""}
        url = f"{self.installation.service.site_url}/_site/contact"
        await self.installation.visit(303, url, data=form, headers={"Host": self.host(1)})
        suspension = {"reason": self.text("reason of a suspension")}
        await self.once(f"/users/{self.user_ref}/suspend", suspension)
