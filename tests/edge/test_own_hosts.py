"""The service's own host names on the site listener: the API and its pages over https, a redirect over http."""

import ssl
from collections.abc import AsyncIterator
from typing import NamedTuple

import msgspec
import pytest

from sitewright.app import create_app
from sitewright.demo.authority.service import Authority, authority
from sitewright.domains.certificates.acme.jobs import LOOP
from sitewright.edge.app import SiteListener
from sitewright.edge.own_hosts import OwnHosts
from sitewright.kit import clock
from sitewright.kit.http.server import listen
from sitewright.kit.http.tls_port import Tls
from sitewright.kit.opened import Opened
from sitewright.kit.resources import Resources
from tests.edge.shops import FILES, HOST, Shop, Visitor
from tests.edge.tls_client import SecureVisitor
from tests.support.http_clients import http_client
from tests.support.serving import serve
from tests.support.users import OwnerConnection

OWN, SECOND = "service.example", "console.service.example"


class Machine(NamedTuple):
    """One machine without a proxy."""

    resources: Resources
    ca: Authority
    url: str
    tls_port: int
    owner: OwnerConnection

    async def work(self) -> None:
        await self.owner.execute("update automatic_certificates set due_at = $1 where due_at is not null", clock.now())
        await LOOP.run_once(self.resources)

    async def get(self, path: str, host: str) -> tuple[int, str]:
        """Over https, verified with the authority's root."""
        trust = ssl.create_default_context(cafile=str(self.ca.ca_file))
        async with http_client(verify=trust) as client:
            url = f"https://127.0.0.1:{self.tls_port}{path}"
            response = await client.get(url, headers={"Host": host}, extensions={"sni_hostname": host})
            return response.status_code, response.text


@pytest.fixture
async def machine(resources: Resources, owner_connection: OwnerConnection, clean: None) -> AsyncIterator[Machine]:
    plain, secure = listen("127.0.0.1", 0), listen("127.0.0.1", 0)
    async with authority(http_port=plain.getsockname()[1]) as ca:
        settings = msgspec.structs.replace(
            resources.settings,
            acme_directory=ca.directory,
            acme_ca_file=str(ca.ca_file),
            acme_own_hosts=[OWN, SECOND],
            site_public_tls_port=secure.getsockname()[1],
        )
        own = msgspec.structs.replace(resources, settings=settings, opened=Opened())
        sites = SiteListener(own)
        app, tls = OwnHosts(sites, create_app(own), own), Tls(secure, sites.certificates)
        async with serve(app, plain, tls=tls) as url:
            yield Machine(own, ca, url, secure.getsockname()[1], owner_connection)
        await own.opened.close()


async def test_own_hosts_share_a_certificate_and_are_served_by_the_api(machine: Machine) -> None:
    await machine.work()
    assert [issued.names for issued in machine.ca.issued] == [sorted([OWN, SECOND])]
    for host in (OWN, SECOND):
        status, text = await machine.get("/health/ready", host)
        assert (status, "ready" in text or text != "") == (200, True)


async def test_over_http_they_redirect_to_https(machine: Machine) -> None:
    async with http_client(machine.url) as client:
        visitor = Visitor(client)
        response = await visitor.get("/console?x=1", host=OWN)
        assert response.status_code == 301
        assert response.headers["location"] == f"https://{OWN}:{machine.tls_port}/console?x=1"
        assert (await visitor.post("/users", host=OWN)).status_code == 308


async def test_other_hosts_are_sites(machine: Machine, shop: Shop) -> None:
    async with http_client(machine.url) as client:
        assert (await Visitor(client).get("/", host=HOST)).text == FILES[""]
    default = SecureVisitor(machine.tls_port)
    assert await default.is_served_default("unknown.example")


async def test_the_certificate_is_renewed_and_follows_the_settings(machine: Machine) -> None:
    await machine.work()
    await machine.owner.execute("update automatic_certificates set renew_at = $1", clock.real_now())
    await machine.work()
    assert len(machine.ca.issued) == 2
    assert await machine.owner.fetchval("select count(*) from own_certificates") == 1
    changed = msgspec.structs.replace(machine.resources.settings, acme_own_hosts=[OWN, SECOND, "new.service.example"])
    await machine._replace(resources=msgspec.structs.replace(machine.resources, settings=changed)).work()
    assert machine.ca.issued[-1].names == sorted([OWN, SECOND, "new.service.example"])


async def test_a_certificate_that_was_given_up_is_ordered_when_the_service_starts_again(machine: Machine) -> None:
    machine.ca.faults.rejected_hosts.add(OWN)
    await machine.work()
    await machine.owner.execute("update automatic_certificates set failures = 33")
    await machine.work()
    row = await machine.owner.fetchrow("select due_at, reason_detail from automatic_certificates")
    assert row is not None
    assert (row["due_at"], "then restart the service" in row["reason_detail"]) == (None, True)
    machine.ca.faults.rejected_hosts.clear()
    await LOOP.run_once(machine.resources)
    assert len(machine.ca.issued) == 1


async def test_own_hosts_cannot_be_mapped_and_have_no_events(machine: Machine) -> None:
    await machine.work()
    assert await machine.owner.fetchval("select count(*) from event_inbox") == 0
    assert await machine.owner.fetchval("select count(*) from certificates") == 0
