"""A site whose host names get certificates from a certificate authority that runs here, through real edge servers."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import msgspec

from sitewright.demo.authority.service import Authority
from sitewright.domains.certificates.acme.jobs import LOOP
from sitewright.domains.health.hooks import HostChecked, host_checked
from sitewright.edge.app import SiteListener
from sitewright.kit import clock
from sitewright.kit.http.server import listen
from sitewright.kit.opened import Opened
from sitewright.kit.resources import Resources
from tests.support.cast import OWN_BRAND
from tests.support.packages import PRO
from tests.support.sequencing import sequence_events
from tests.support.serving import serve
from tests.support.sites import make_domain, make_site
from tests.support.users import OwnerConnection, assign_package, make_user


class Certified(msgspec.Struct):
    """One account holder's site, and the worker's view of the service."""

    owner: OwnerConnection
    resources: Resources
    site_ref: int
    user_ref: int
    edge_port: int

    def use(self, ca: Authority, **settings: Any) -> None:
        """From now on certificates come from this authority; `settings` are further ones."""
        changed = {"acme_directory": ca.directory, "acme_ca_file": str(ca.ca_file)} | settings
        self.set(**changed)

    def set(self, **settings: Any) -> None:
        """As a worker that is started with other settings: nothing is kept from before."""
        replaced = msgspec.structs.replace(self.resources.settings, **settings)
        self.resources = msgspec.structs.replace(self.resources, settings=replaced, opened=Opened())

    async def map(self, host: str, *, points_here: bool | None = True) -> int:
        """Map a host; then the health check finds out where it points. None: it was not checked yet."""
        ref = await make_domain(self.owner, OWN_BRAND, self.site_ref, host)
        if points_here is not None:
            await self.check(ref, host, points_here=points_here)
        return ref

    async def check(
        self, domain_ref: int, host: str, *, points_here: bool | None = True, is_requested: bool = False
    ) -> None:
        """What domain health does after each check of a host. None: the name servers did not respond."""
        checked = HostChecked(domain_ref, host, points_here, bool(points_here), clock.now(), is_requested)
        async with self.resources.database.transaction(OWN_BRAND) as tx:
            await host_checked.notify(tx, checked)

    async def work(self) -> None:
        """As the worker, for everything that is due, also what would be due soon."""
        await self.owner.execute("update automatic_certificates set due_at = $1 where due_at is not null", clock.now())
        await LOOP.run_once(self.resources)

    async def work_on_due(self) -> None:
        """As the worker, for what is due now."""
        await LOOP.run_once(self.resources)

    async def row(self, name: str) -> asyncpg.Record:
        row = await self.owner.fetchrow("select * from automatic_certificates where name = $1", name)
        assert row is not None
        return row

    async def certificates(self, host: str) -> list[asyncpg.Record]:
        """Those that are bound to the host, the newest first."""
        return await self.owner.fetch(
            "select c.* from certificates c join certificate_bindings b on b.certificate_ref = c.ref"
            " where b.domain = $1 order by c.ref desc",
            host,
        )

    async def set_row(self, name: str, **columns: Any) -> None:
        names = ", ".join(f"{column} = ${number}" for number, column in enumerate(columns, 2))
        await self.owner.execute(f"update automatic_certificates set {names} where name = $1", name, *columns.values())

    async def events(self, kind: str) -> list[dict[str, Any]]:
        await sequence_events(self.owner)
        rows = await self.owner.fetch("select body::text from events where kind = $1 order by sequence", kind)
        return [msgspec.json.decode(row[0]) for row in rows]

    async def close(self) -> None:
        await self.resources.opened.close()


@asynccontextmanager
async def certified_site(owner: OwnerConnection, resources: Resources) -> AsyncIterator[Certified]:
    """With an edge server for http-01; its user has a package with automatic certificates."""
    user_ref = await make_user(owner, resources, OWN_BRAND)
    await assign_package(owner, OWN_BRAND, user_ref, PRO)
    site_ref = await make_site(owner, resources, user_ref=user_ref)
    socket = listen("127.0.0.1", 0)
    async with serve(SiteListener(resources), socket):
        certified = Certified(owner, resources, site_ref, user_ref, socket.getsockname()[1])
        yield certified
        await certified.close()
