"""The lifecycle with sites, and what visitors see of them after each step."""

from functools import partial
from typing import Any

import httpx
import msgspec

from tests.support.eventually import eventually
from tests.support.responses import problem_in
from tests.support.steps import Steps

ONLINE, OFFLINE, HOLDING = (200, "page"), (503, "offline"), (404, "holding")
WORDS = "Fresh every morning"


class SiteSteps(Steps, kw_only=True):
    visitors: httpx.AsyncClient
    brand_ref: int
    sites: dict[str, int] = msgspec.field(default_factory=dict)
    """Sites by the host that each was created for."""
    published: int = 0

    async def add_site(self, host: str) -> None:
        """A site with one page."""
        body = {"accountHolderRef": self.user_ref, "brandRef": self.brand_ref, "domain": host}
        site_ref = self.sites[host] = (await self._done("POST", "/sites", 201, body))["site"]["ref"]
        page = {"pageUrl": "home", "type": "page", "title": WORDS, "status": "active"}
        await self._done("POST", f"/sites/{site_ref}/pages", 200, page)

    async def map(self, host: str, domain: str) -> int:
        response = await self._done("POST", f"/sites/{self.sites[host]}/domains", 201, {"domain": domain})
        ref: int = response["domainToSiteMap"]["ref"]
        return ref

    async def unmap(self, host: str, domain_ref: int) -> None:
        await self._done("DELETE", f"/sites/{self.sites[host]}/domains/{domain_ref}", 204)

    async def publish(self, host: str) -> None:
        """Publish the site, and check that its event names the new version."""
        version_ref = (await self._done("POST", f"/sites/{self.sites[host]}/publish", 200))["versionRef"]
        publications = await self.ledger.publications(self.user_ref)
        assert publications[self.published :] == [(self.sites[host], version_ref)]
        self.published = len(publications)

    async def may_not_go_live(self, host: str, allowed: int, used: int) -> None:
        """Neither by publishing nor by setting it live. No event is emitted, nothing changes."""
        site_ref = self.sites[host]
        was_published = (await self._done("GET", f"/sites/{site_ref}", 200))["site"]["previouslyPublished"]
        attempts = [await self.client.post(f"/sites/{site_ref}/publish")]
        if was_published:
            attempts.append(await self.client.put(f"/sites/{site_ref}", json={"live": 1}))
        for response in attempts:
            assert problem_in(response) == (403, "packageLimitReached")
            assert f"liveSites: the package allows {allowed}, and {used} are in use" in response.json()["detail"]
        assert len(await self.ledger.publications(self.user_ref)) == self.published

    async def visitors_see(self, **kinds: tuple[int, str]) -> None:
        """Check visitors' responses, eventually, since the edge server is notified. Write a host's dots as
        underscores."""
        for name, kind in kinds.items():
            host = name.replace("_", ".")
            if host in self.sites:
                site = (await self._done("GET", f"/sites/{self.sites[host]}", 200))["site"]
                assert site["live"] is (kind == ONLINE), f"{host} is live: {site['live']}"
            await eventually(partial(self._is, host, kind))

    async def _is(self, host: str, kind: tuple[int, str]) -> bool:
        response = await self.visitors.get("/", headers={"Host": host})
        assert (WORDS in response.text) == (response.status_code == 200)
        assert ("retry-after" in response.headers) == (response.status_code == 503)
        return (response.status_code, response.headers["x-sitewright-page"]) == kind

    async def _done(self, method: str, path: str, status: int, body: dict[str, Any] | None = None) -> Any:
        response = await self.client.request(method, path, json=body)
        assert response.status_code == status, response.text
        return msgspec.json.decode(response.content) if response.content else None
