"""An account holder with a domain, the API of a service that manages its zone, and name servers in memory."""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from typing import Any

import httpx
import msgspec
import pytest

from sitewright.app import create_app
from sitewright.domains.dns import jobs, reconciling
from sitewright.domains.dns.errors import DnsUnavailable
from sitewright.domains.dns.planner import Change
from sitewright.domains.dns.providers import Wanted, ZoneSpec
from sitewright.domains.dns.rrsets import Key, RRset, Zone
from sitewright.kit import clock
from sitewright.kit.opened import Opened
from sitewright.kit.resources import Resources
from tests.accounts.account_packages.conftest import MakeUser, ledger, user
from tests.domains.account_domains.conftest import registrar
from tests.support import contract
from tests.support.account_domains import make_account_domain
from tests.support.cast import OWN_BRAND, Cast, SignedBy
from tests.support.http_clients import http_client
from tests.support.queued import Worker
from tests.support.responses import items_in, object_in
from tests.support.serving import serve
from tests.support.users import OwnerConnection, make_user

__all__ = ["MakeUser", "ledger", "registrar", "user"]
DOMAIN = "joes-bakery.com"
ADDRESS, ADDRESS_6 = "192.0.2.80", "2001:db8::80"
SETTINGS: dict[str, Any] = {
    "dns_provider": "powerdns",
    "powerdns_url": "http://127.0.0.1:1",
    "powerdns_key": "secret",
    "rfc2136_server": "127.0.0.1:1",
    "rfc2136_key_name": "sitewright",
    "rfc2136_key": "c2VjcmV0",
    "dns_nameservers": ["ns1.example.net", "ns2.example.net"],
    "site_addresses": [ADDRESS, ADDRESS_6],
    "mail_host": "mail.example.net",
    "acme_directory": "https://acme-v02.api.letsencrypt.org/directory",
}


class NameServers:
    """Zones in memory, and the error that a test sets."""

    def __init__(self) -> None:
        self.zones: dict[str, Zone] = {}
        self.specs: dict[str, ZoneSpec] = {}
        self.sent: list[Sequence[Change]] = []
        self.error: Exception | None = None
        self.during_call: Any = None
        self.ds: list[str] = []

    async def read(self, zone: ZoneSpec, _wanted: Wanted, *, everything: bool = False) -> Zone | None:  # noqa: ARG002
        await self._run_script()
        return self.zones.get(zone.name)

    async def create(self, zone: ZoneSpec) -> None:
        self.zones.setdefault(zone.name, {})
        self.specs[zone.name] = zone

    async def apply(self, zone: ZoneSpec, changes: Sequence[Change]) -> None:
        await self._run_script()
        self.sent.append(changes)
        self.zones[zone.name] = changed(self.zones[zone.name], changes)

    async def remove(self, zone: ZoneSpec, _keys: Collection[Key]) -> None:
        await self._run_script()
        self.zones.pop(zone.name, None)

    async def ds_records(self, _zone: ZoneSpec) -> list[str]:
        return self.ds

    async def _run_script(self) -> None:
        if self.during_call is not None:
            callback, self.during_call = self.during_call, None
            await callback()
        if self.error is not None:
            raise self.error

    def values(self, name: str, kind: str, zone: str = DOMAIN) -> list[str]:
        found = self.zones[zone].get(Key(name, kind))
        return [] if found is None else list(found.values)


def changed(zone: Mapping[Key, RRset], changes: Sequence[Change]) -> Zone:
    """The zone after the changes: what a provider does with them."""
    after = dict(zone)
    for change in changes:
        if change.after is None:
            after.pop(change.key, None)
        else:
            after[change.key] = change.after
    return after


@pytest.fixture
def name_servers(monkeypatch: pytest.MonkeyPatch) -> NameServers:
    servers = NameServers()
    monkeypatch.setattr(reconciling, "provider_of", lambda _resources, _name: servers)
    return servers


@pytest.fixture(scope="session")
def managing(resources: Resources) -> Resources:
    """Of a service with a DNS provider."""
    settings = msgspec.structs.replace(resources.settings, **SETTINGS)
    return msgspec.structs.replace(resources, settings=settings, opened=Opened())


@pytest.fixture(scope="session")
async def managing_url(managing: Resources) -> AsyncIterator[str]:
    async with serve(create_app(managing)) as url:
        yield url


@pytest.fixture
async def api(managing_url: str, cast: Cast, clean: None) -> AsyncIterator[httpx.AsyncClient]:
    """The brand's own API client."""
    async with http_client(managing_url, auth=SignedBy(cast.owner), event_hooks=contract.HOOKS) as client:
        yield client


class Domain(msgspec.Struct, frozen=True):
    user_ref: int
    ref: int
    worker: Worker

    @property
    def path(self) -> str:
        return f"/account-domains/{self.ref}/dns-records"


@pytest.fixture
async def domain(
    owner_connection: OwnerConnection, managing: Resources, name_servers: NameServers, clean: None
) -> Domain:
    """Registered, with its zone at the name servers."""
    user_ref = await make_user(owner_connection, managing, OWN_BRAND)
    ref = await make_account_domain(owner_connection, OWN_BRAND, user_ref, DOMAIN)
    await jobs.refresh_zones(managing)
    await jobs.LOOP.run_once(managing)
    return Domain(user_ref, ref, Worker(owner_connection, managing))


async def records_of(client: httpx.AsyncClient, domain: Domain) -> list[dict[str, Any]]:
    return items_in(await client.get(domain.path), "records")


async def find(client: httpx.AsyncClient, domain: Domain, kind: str, name: str = DOMAIN) -> dict[str, Any]:
    [found] = [each for each in await records_of(client, domain) if (each["type"], each["name"]) == (kind, name)]
    return found


async def add(client: httpx.AsyncClient, domain: Domain, **fields: Any) -> dict[str, Any]:
    return object_in(await client.post(domain.path, json=fields), "record", 201)


async def reconcile_all(owner: OwnerConnection, managing: Resources) -> None:
    """Of every zone that is due or waits for its retry."""
    await owner.execute("update dns_zones set due_at = $1 where due_at is not null", clock.now())
    await jobs.LOOP.run_once(managing)


NOT_REACHED = DnsUnavailable("no route")
