"""Random requests of a brand's customers and operators, so that figures have something to count."""

import asyncio
import itertools
from typing import Any

import httpx
from hypothesis import strategies as st

from sitewright.accounts.account_packages.sweep import service as sweep
from sitewright.domains.health import store as health
from sitewright.domains.health.findings import Finding, Status
from sitewright.domains.health.recording import STATES, lock_row
from sitewright.domains.health.store import Key
from sitewright.edge.statistics import service as visits
from sitewright.kit import clock
from sitewright.kit.resources import Resources
from sitewright.sites.sites.domains import store as domains
from tests.support.cast import OTHER_BRAND
from tests.support.customers import new_user
from tests.support.packages import EURO_PRO, EURO_STARTER, SUSPENDED, TRIAL, assign

_numbers = itertools.count(1)
DAY = 24 * 3600
ACTIONS = (
    "register", "assign", "assign", "assign", "delete", "restore", "suspend", "unsuspend", "anonymise",
    "publish", "publish", "take_offline", "go_live", "delete_site", "hard_delete_site", "visit",
    "check", "check", "check",
)  # fmt: skip
STEPS = st.tuples(
    st.sampled_from(ACTIONS),
    st.integers(0, 3),
    st.sampled_from([SUSPENDED, TRIAL, EURO_STARTER, EURO_PRO]),
    st.sampled_from([None, 1, 12]),
    st.booleans(),
)
ROUNDS = st.lists(
    st.tuples(st.sampled_from([0, 0.3, 5, 15.5, 40]), st.lists(STEPS, min_size=6, max_size=12)), min_size=2, max_size=4
)


class History:
    """Requests of one brand, which has a trial and paid packages in euros."""

    def __init__(self, client: httpx.AsyncClient, resources: Resources) -> None:
        self._client, self._resources = client, resources
        self.users: list[int] = []
        self.sites: dict[int, int] = {}
        """The newest site of each user."""
        self.days = 0.0
        self.succeeded = 0

    async def run(self, rounds: Any) -> None:
        for _ in range(4):
            await self.register()
        for user_ref in self.users[:2]:
            await assign(self._client, user_ref, EURO_PRO)
            await self.publish(user_ref)
        for days, steps in rounds:
            self.days += days
            clock.shift(self.days * DAY)
            by_user = {which: [step for step in steps if step[1] == which] for which in range(4)}
            working = [self._steps(each) for each in by_user.values()]
            await asyncio.gather(sweep.do_due_changes(self._resources), *working)
        await sweep.do_due_changes(self._resources)

    async def register(self) -> None:
        name = f"user{next(_numbers)}"
        body = new_user(brandRef=OTHER_BRAND, username=name, email=f"{name}@mail.example")
        response = await self._client.post("/users", json=body)
        assert response.status_code == 201, response.text
        self.users.append(response.json()["accountHolder"]["ref"])

    async def publish(self, user_ref: int) -> None:
        """A new site of the user, as far as the package allows it."""
        body = {"accountHolderRef": user_ref, "brandRef": OTHER_BRAND, "subdomain": f"site{next(_numbers)}"}
        response = await self._send("POST", "/sites", json=body)
        if response.is_success:
            site_ref = response.json()["site"]["ref"]
            self.sites[user_ref] = site_ref
            page = {"pageUrl": "home", "type": "page", "title": "Home", "status": "active"}
            await self._send("POST", f"/sites/{site_ref}/pages", json=page)
            await self._send("POST", f"/sites/{site_ref}/publish")

    async def visit(self, site_ref: int) -> None:
        counts = {(site_ref, "page", ""): visits.Views(3, 2), (site_ref, "referrer", "a.example"): visits.Views(1, 1)}
        await visits.add(self._resources.database, OTHER_BRAND, counts)

    async def check(self, site_ref: int, *, fails: bool) -> None:
        """Results of the health checks of the site's addresses."""
        status = Status.FAILING if fails else Status.OK
        findings = [Finding(code="certificate", status=status, reason="certificateUntrusted")]
        async with self._resources.database.transaction(OTHER_BRAND) as tx:
            for each in await domains.list_domains(tx, site_ref):
                row = await lock_row(tx, Key("domain", each.ref))
                if row is not None:
                    await health.save(tx, row.ref, status, STATES[status], findings, clock.now(), is_mailed=False)

    async def _steps(self, steps: Any) -> None:
        """One user's requests, one after the other; those of other users run meanwhile."""
        for step in steps:
            await self._step(*step)

    async def _step(self, action: str, which: int, package_ref: int, months: int | None, ends: bool) -> None:
        user = f"/users/{self.users[which]}"
        site_ref = self.sites.get(self.users[which])
        site = f"/sites/{site_ref}"
        assigned = {"packageRef": package_ref, "billingFrequency": months, "deleteOnExpiry": ends}
        requests: dict[str, tuple[str, str, Any]] = {
            "assign": ("POST", f"{user}/account-packages", assigned),
            "delete": ("DELETE", user, None),
            "restore": ("PUT", user, {"deleted": 0}),
            "suspend": ("POST", f"{user}/suspend", {"reason": "Unpaid."}),
            "unsuspend": ("POST", f"{user}/unsuspend", {}),
            "anonymise": ("POST", f"{user}/anonymise", {}),
            "take_offline": ("PUT", site, {"live": 0}),
            "go_live": ("PUT", site, {"live": 1}),
            "delete_site": ("DELETE", site, None),
            "hard_delete_site": ("POST", f"{site}/hard-delete", {}),
        }
        if action == "register":
            await self.register()
        elif action == "publish":
            await self.publish(self.users[which])
        elif action == "visit" and site_ref is not None:
            await self.visit(site_ref)
        elif action == "check" and site_ref is not None:
            await self.check(site_ref, fails=ends)
        elif action in requests:
            method, path, body = requests[action]
            await self._send(method, path, json=body)

    async def _send(self, method: str, path: str, **more: Any) -> httpx.Response:
        response = await self._client.request(method, path, **more)
        assert response.status_code < 500, response.text
        self.succeeded += response.is_success
        return response
