"""`GET /sites/:siteRef/domains/:domainRef/health` and `GET /account-domains/:ref/health`."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from sitewright.app import create_app
from sitewright.domains.health import service
from sitewright.domains.health.checks import CHECKS
from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.domains.health.conftest import HOST, LOOPBACK
from tests.edge.shops import Shop
from tests.support import contract
from tests.support.account_domains import make_account_domain
from tests.support.cast import OWN_BRAND, Cast, SignedBy
from tests.support.http_clients import http_client
from tests.support.name_server import NameServer
from tests.support.service import run_command
from tests.support.serving import serve
from tests.support.users import OwnerConnection

ELSEWHERE = "192.0.2.9"


@pytest.fixture
async def client(outside: Resources, cast: Cast, clean: None) -> AsyncIterator[httpx.AsyncClient]:
    """Of a service that knows its addresses."""
    async with (
        serve(create_app(outside)) as url,
        http_client(url, auth=SignedBy(cast.owner), event_hooks=contract.HOOKS) as opened,
    ):
        yield opened


@pytest.fixture
async def path(shop: Shop, owner_connection: OwnerConnection) -> str:
    ref = await owner_connection.fetchval("select ref from site_domains where domain = $1", HOST)
    return f"/sites/{shop.ref}/domains/{ref}/health"


async def health(client: httpx.AsyncClient, path: str, **options: Any) -> dict[str, Any]:
    response = await client.get(path, **options)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()["health"]
    return found


async def test_the_first_call_checks_and_the_next_ones_return_the_result(
    client: httpx.AsyncClient, path: str, names: NameServer
) -> None:
    first = await health(client, path)
    assert (first["domain"], first["status"]) == (HOST, "ok")
    assert [each["code"] for each in first["checks"]] == list(CHECKS)
    assert set(first["checks"][0]) == {"code", "status", "expected", "found", "detail", "fix"}
    names.set(HOST, "A", ELSEWHERE)
    assert await health(client, path) == first
    clock.shift(service.MAX_AGE.total_seconds() + 1)
    assert (await health(client, path))["status"] == "failing"


async def test_refresh_checks_at_most_once_in_ten_seconds(
    client: httpx.AsyncClient, path: str, names: NameServer
) -> None:
    refresh = {"refresh": "1"}
    first = await health(client, path, params=refresh)
    names.set(HOST, "A", ELSEWHERE)
    assert await health(client, path, params=refresh) == first
    clock.shift(11)
    second = await health(client, path, params=refresh)
    assert second["status"] == "failing"
    [check] = [each for each in second["checks"] if each["code"] == "leadsHereIpv4"]
    assert (check["expected"], check["found"]) == (LOOPBACK, ELSEWHERE)
    assert f"{HOST}. 3600 IN A {LOOPBACK}" in check["fix"].splitlines()


async def test_concurrent_calls_wait_for_one_check(client: httpx.AsyncClient, path: str, names: NameServer) -> None:
    found = await asyncio.gather(*(health(client, path, params={"refresh": "1"}) for _ in range(5)))
    assert all(each == found[0] for each in found)
    assert names.queries.count((HOST, "CAA")) == 1


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({}, "exists"),
        ({"headers": {"Accept-Language": "de-AT, en;q=0.5"}}, "existiert"),
        ({"params": {"language": "es"}}, "existe en el DNS"),
        ({"params": {"language": "fr"}, "headers": {"Accept-Language": "de"}}, "existe dans le DNS"),
        ({"params": {"language": "pt-BR"}}, "existe no DNS"),
        ({"params": {"language": "ja"}}, "exists"),
    ],
)
async def test_texts_are_in_the_requested_language(
    client: httpx.AsyncClient, path: str, options: dict[str, Any], word: str
) -> None:
    assert word in (await health(client, path, **options))["checks"][0]["detail"]


async def test_an_account_domain_without_a_site(
    client: httpx.AsyncClient, shop: Shop, names: NameServer, owner_connection: OwnerConnection
) -> None:
    user_ref = await owner_connection.fetchval("select user_ref from sites where ref = $1", shop.ref)
    ref = await make_account_domain(owner_connection, OWN_BRAND, user_ref, "cakes.example")
    names.add_zone("cakes.example", f"ns1.{HOST}")
    names.set("cakes.example", "A", ELSEWHERE)
    found = await health(client, f"/account-domains/{ref}/health")
    statuses = {each["code"]: each["status"] for each in found["checks"]}
    assert (found["domain"], found["status"]) == ("cakes.example", "ok")
    assert (statuses["registration"], statuses["leadsHereIpv4"]) == ("ok", "skipped")
    assert (await client.delete(f"/account-domains/{ref}")).status_code == 204
    assert await owner_connection.fetchval("select count(*) from domain_checks where account_domain_ref = $1", ref) == 0


async def test_an_account_domain_with_a_site(
    client: httpx.AsyncClient, shop: Shop, owner_connection: OwnerConnection
) -> None:
    user_ref = await owner_connection.fetchval("select user_ref from sites where ref = $1", shop.ref)
    ref = await make_account_domain(owner_connection, OWN_BRAND, user_ref, HOST)
    found = await health(client, f"/account-domains/{ref}/health", params={"refresh": 1})
    statuses = {each["code"]: each["status"] for each in found["checks"]}
    assert (found["status"], statuses["leadsHereIpv4"], statuses["registration"]) == ("ok", "ok", "ok")


async def test_domains_of_others_do_not_exist_and_are_not_checked(
    client: httpx.AsyncClient,
    other_brand: httpx.AsyncClient,
    reseller: httpx.AsyncClient,
    shop: Shop,
    path: str,
    names: NameServer,
) -> None:
    for caller in (other_brand, reseller):
        response = await caller.get(path, params={"refresh": "1"})
        assert (response.status_code, response.json()["code"]) == (404, "siteNotFound")
    assert (await client.get(f"/sites/{shop.ref}/domains/999999/health")).json()["code"] == "domainNotFound"
    assert (await client.get("/account-domains/999999/health")).json()["code"] == "accountDomainNotFound"
    assert (await client.get(path, params={"refresh": "maybe"})).status_code == 400
    assert names.queries == []


async def test_the_command(
    tmp_path: Path, database_url: str, outside: Resources, shop: Shop, names: NameServer
) -> None:
    ours = outside.settings
    settings = {
        "database_url": database_url,
        "dns_resolvers": names.address,
        "site_addresses": LOOPBACK,
        "site_public_port": ours.site_public_port,
        "site_public_tls_port": ours.site_public_tls_port,
        "acme_ca_file": ours.acme_ca_file,
        "master_key": "",
    }
    names.set(HOST, "A", ELSEWHERE)
    code, output = await run_command(tmp_path, "domains", "check", HOST, **settings)
    assert (code, "leadsHereIpv4" in output, f"{HOST}: failing" in output) == (1, True, True), output
    assert f"{HOST}. 3600 IN A {LOOPBACK}" in output
    names.fail("SERVFAIL")
    code, output = await run_command(tmp_path, "domains", "check", "elsewhere.example", "--language", "de", **settings)
    assert (code, "elsewhere.example: unknown" in output, "unbekannt" in output) == (3, True, True), output
    code, output = await run_command(tmp_path, "domains", "check", "not a name", **settings)
    assert (code, "must be a host name" in output) == (2, True), output
