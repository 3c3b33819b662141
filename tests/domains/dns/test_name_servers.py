"""Zones at Debian's PowerDNS and Knot DNS, set up as docs/operate/dns.md says."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sitewright.domains.account_domains import registrars
from sitewright.domains.account_domains.service import find_by_ref
from sitewright.domains.dns import service
from sitewright.domains.dns.reconciling import reconcile
from sitewright.domains.dns.service import DnsRecordFields
from sitewright.domains.dns.store import find_zone
from sitewright.kit.opened import Opened
from sitewright.kit.resources import Resources
from tests.domains.dns.conftest import DOMAIN
from tests.domains.dns.servers import GUIDE, NameServer, create_zone, knot, powerdns, settings_for
from tests.support.account_domains import make_account_domain
from tests.support.cast import OWN_BRAND, TESTER
from tests.support.eventually import eventually
from tests.support.http_clients import http_client
from tests.support.service import free_port
from tests.support.users import OwnerConnection, make_user

pytestmark = pytest.mark.system


@pytest.fixture
async def opened() -> AsyncIterator[Opened]:
    """Clients of the test's own servers."""
    opened = Opened()
    yield opened
    await opened.close()


def with_settings(resources: Resources, opened: Opened, **settings: Any) -> Resources:
    changed = msgspec.structs.replace(resources.settings, **settings)
    return msgspec.structs.replace(resources, settings=changed, opened=opened)


async def make_zone(owner: OwnerConnection, resources: Resources) -> int:
    user_ref = await make_user(owner, resources, OWN_BRAND)
    ref = await make_account_domain(owner, OWN_BRAND, user_ref, DOMAIN)
    await owner.execute(
        "insert into dns_zones (brand_ref, account_domain_ref, name, created_at) values ($1, $2, $3, now())",
        OWN_BRAND,
        ref,
        DOMAIN,
    )
    return ref


async def add(resources: Resources, ref: int, **fields: Any) -> int:
    async with resources.database.transaction(OWN_BRAND) as tx:
        domain = await find_by_ref(tx, TESTER, ref)
        record = await service.create_record(tx, resources.settings, TESTER, domain, DnsRecordFields(**fields))
    return record.ref


async def delete(resources: Resources, ref: int, record_ref: int) -> None:
    async with resources.database.transaction(OWN_BRAND) as tx:
        domain = await find_by_ref(tx, TESTER, ref)
        record = await service.find_record(tx, domain, record_ref)
        await service.delete_record(tx, resources.settings, TESTER, domain, record)


async def exercise(resources: Resources, ref: int, server: NameServer) -> None:
    """Every type of record, a change of type, and a challenge."""
    for fields in (
        {"type": "A", "name": "shop", "value": "192.0.2.10"},
        {"type": "A", "name": "shop", "value": "192.0.2.11"},
        {"type": "TXT", "name": "@", "value": 'say "hi" \\ é ' + "x" * 300},
        {"type": "SRV", "name": "_sip._tcp", "value": "5 5060 sip.example.net", "priority": 1},
        {"type": "NS", "name": "sub", "value": "ns1.example.org"},
        {"type": "CAA", "name": "shop", "value": '0 issue "ca.example"'},
        {"type": "AAAA", "name": "*", "value": "2001:db8::1"},
    ):
        await add(resources, ref, **fields)
    alias = await add(resources, ref, type="CNAME", name="blog", value="blogs.example.net")
    assert await reconcile(resources, OWN_BRAND, ref) is None
    assert await server.ask(DOMAIN, "A") == ["192.0.2.80"]
    assert await server.ask(DOMAIN, "MX") == ["0 ."]
    assert await server.ask(f"www.{DOMAIN}", "CNAME") == [f"{DOMAIN}."]
    assert await server.ask(f"shop.{DOMAIN}", "A") == ["192.0.2.10", "192.0.2.11"]
    assert await server.ask(f"_sip._tcp.{DOMAIN}", "SRV") == ["1 5 5060 sip.example.net."]
    assert await server.ask(f"any.{DOMAIN}", "AAAA") == ["2001:db8::1"]
    assert len(await server.ask(DOMAIN, "TXT")) == 2
    await delete(resources, ref, alias)
    await add(resources, ref, type="A", name="blog", value="192.0.2.12")
    assert await reconcile(resources, OWN_BRAND, ref) is None
    assert await server.ask(f"blog.{DOMAIN}", "A") == ["192.0.2.12"]
    await add(resources, ref, type="TXT", name="blog", value="hello")
    name = f"_acme-challenge.{DOMAIN}"
    await service.present_challenge(resources, OWN_BRAND, DOMAIN, name, ["one", "two"])
    assert await server.ask(name, "TXT") == ['"one"', '"two"']
    await service.withdraw_challenge(resources, OWN_BRAND, DOMAIN, name)
    assert await reconcile(resources, OWN_BRAND, ref) is None
    assert await server.ask(name, "TXT") == []


async def test_powerdns_and_a_secondary_that_follows_its_catalog(
    resources: Resources, owner_connection: OwnerConnection, opened: Opened, clean: None, tmp_path: Path
) -> None:
    secondary = NameServer(free_port())
    async with (
        powerdns(tmp_path / "primary", secondary) as server,
        knot(tmp_path / "secondary", "secondary", secondary, server),
    ):
        url = f"http://127.0.0.1:{server.api_port}"
        managing = with_settings(
            resources, opened, **settings_for("powerdns") | {"powerdns_url": url, "dns_dnssec": True}
        )
        ref = await make_zone(owner_connection, managing)
        await exercise(managing, ref, server)
        assert await server.ask(DOMAIN, "NS") == ["ns1.example.com.", "ns2.example.com."]
        [authority] = await server.ask(DOMAIN, "SOA")
        assert authority.startswith(f"ns1.example.com. hostmaster.{DOMAIN}. ")
        assert len(await server.ask(DOMAIN, "DNSKEY")) == 1
        async with resources.database.transaction(OWN_BRAND) as tx:
            zone = await find_zone(tx, ref)
        assert zone is not None
        assert [ds.split()[1:3] for ds in zone.ds] == [["13", "2"]]
        async with http_client(url, headers={"X-API-Key": "secret"}) as client:
            found = (await client.get(f"/api/v1/servers/localhost/zones/{DOMAIN}.")).json()
        assert (found["account"], found["catalog"]) == (str(OWN_BRAND), "catalog.sitewright.invalid.")

        async def has_followed() -> bool:
            return await secondary.ask(f"blog.{DOMAIN}", "A") == ["192.0.2.12"]

        await eventually(has_followed)
        await owner_connection.execute("update dns_zones set removed_at = now()")
        assert await reconcile(managing, OWN_BRAND, ref) is None
        assert await server.ask(DOMAIN, "SOA") == []
        assert await owner_connection.fetchval("select count(*) from dns_zones") == 0


@pytest.mark.parametrize("transfers", [True, False])
async def test_an_existing_zone_at_knot(
    resources: Resources,
    owner_connection: OwnerConnection,
    opened: Opened,
    clean: None,
    tmp_path: Path,
    transfers: bool,
) -> None:
    started = knot(tmp_path / "knot", "dynamic updates", NameServer(free_port()), transfers=transfers)
    async with started as server:
        settings = settings_for("rfc2136") | {"rfc2136_server": f"127.0.0.1:{server.port}"}
        managing = with_settings(resources, opened, **settings)
        ref = await make_zone(owner_connection, managing)
        with pytest.raises(service.DnsUnavailable, match="has no zone"):
            await reconcile(managing, OWN_BRAND, ref)
        await create_zone(tmp_path / "knot")
        [before] = await server.ask(DOMAIN, "SOA")
        await exercise(managing, ref, server)
        assert await server.ask(DOMAIN, "NS") == ["ns1.example.com.", "ns2.example.com."]
        [after] = await server.ask(DOMAIN, "SOA")
        assert int(after.split()[2]) > int(before.split()[2])
        wrong = with_settings(resources, Opened(), **settings | {"rfc2136_key": "d3Jvbmc="})
        await add(wrong, ref, type="A", name="late", value="192.0.2.13")
        with pytest.raises(service.DnsUnavailable, match="update"):
            await reconcile(wrong, OWN_BRAND, ref)
        await owner_connection.execute("update dns_zones set removed_at = now()")
        assert await reconcile(managing, OWN_BRAND, ref) is None
        assert await server.ask(DOMAIN, "A") == []
        assert await server.ask(DOMAIN, "NS") == ["ns1.example.com.", "ns2.example.com."]


async def test_the_records_of_an_existing_zone_are_kept(
    resources: Resources, owner_connection: OwnerConnection, opened: Opened, clean: None, tmp_path: Path
) -> None:
    async with knot(tmp_path / "knot", "dynamic updates", NameServer(free_port())) as server:
        await create_zone(tmp_path / "knot")
        settings = settings_for("rfc2136") | {"rfc2136_server": f"127.0.0.1:{server.port}"}
        managing = with_settings(resources, opened, **settings)
        ref = await make_zone(owner_connection, managing)
        assert await reconcile(managing, OWN_BRAND, ref) is None
        mx = await owner_connection.fetchval("select ref from dns_records where type = 'MX'")
        async with managing.database.transaction(OWN_BRAND) as tx:
            domain = await find_by_ref(tx, TESTER, ref)
            record = await service.find_record(tx, domain, mx)
            fields = DnsRecordFields(type="MX", name="@", value="mx.example.org", priority=5)
            await service.edit_record(tx, managing.settings, TESTER, domain, record, fields)
        assert await reconcile(managing, OWN_BRAND, ref) is None
        await owner_connection.execute("delete from dns_zones")
        await owner_connection.execute(
            "insert into dns_zones (brand_ref, account_domain_ref, name, created_at) values ($1, $2, $3, now())",
            OWN_BRAND,
            ref,
            DOMAIN,
        )
        assert await reconcile(managing, OWN_BRAND, ref) is None
        assert await server.ask(DOMAIN, "MX") == ["5 mx.example.org."]
        row = await owner_connection.fetchrow("select value, priority, owner from dns_records where type = 'MX'")
        assert tuple(row or ()) == ("mx.example.org", 5, "holder")


async def test_the_registrar_of_the_guide_works(resources: Resources) -> None:
    code = GUIDE.read_text().partition("```python\n")[2].partition("```")[0]
    names: dict[str, Any] = {}
    exec(compile(code, str(GUIDE), "exec"), names)  # noqa: S102 - our own guide
    try:
        added = registrars.registrar_of("ExampleRegistry", is_test=False)
        assert isinstance(added, names["ExampleRegistrar"])
        protocol = {name for name in vars(registrars.Registrar) if not name.startswith("_")}
        assert {name for name in protocol if callable(getattr(added, name, None))} == protocol
        assert await added.is_available(resources, DOMAIN)
    finally:
        registrars.remove("ExampleRegistry")
