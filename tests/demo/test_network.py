"""`serve --demo` without internet access: any mapped domain gets a certificate, and its health is good."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import run
from tests.support.eventually import eventually
from tests.support.service import Service, make_migrated, running_service

HEALTHY = {"ok", "skipped"}


@pytest.fixture(scope="module")
async def service(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Service]:
    async with running_service(tmp_path_factory.mktemp("demo") / "data") as running:
        yield running


async def map_domain(service: Service, host: str) -> int:
    site_ref = service.demo["brands"][0]["demoUser"]["siteRef"]
    async with service.client() as client:
        response = await client.post(f"/sites/{site_ref}/domains", json={"domain": host})
    assert response.status_code == 201, response.text
    ref: int = response.json()["domainToSiteMap"]["ref"]
    return ref


async def is_trusted(service: Service, host: str) -> bool:
    """Whether the edge server has a certificate of the demo's authority for the host."""
    context = ssl.create_default_context(cafile=service.demo["acmeCaFile"])
    port = int(service.demo["siteTlsUrl"].rpartition(":")[2])
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context, server_hostname=host)
    except ssl.SSLCertVerificationError:
        return False
    writer.close()
    return True


async def health(service: Service, domain_ref: int) -> dict[str, Any]:
    """The last result, without a new check."""
    site_ref = service.demo["brands"][0]["demoUser"]["siteRef"]
    async with service.client() as client:
        response = await client.get(f"/sites/{site_ref}/domains/{domain_ref}/health")
    found: dict[str, Any] = response.json()["health"]
    return found


async def test_a_mapped_domain_gets_a_certificate_and_is_healthy(service: Service) -> None:
    ref = await map_domain(service, "shop.example")

    async def is_certified() -> bool:
        return await is_trusted(service, "shop.example")

    async def is_healthy() -> bool:
        return bool((await health(service, ref))["status"] == "ok")

    await eventually(is_certified)
    await eventually(is_healthy)
    checks = (await health(service, ref))["checks"]
    assert {check["code"]: check["status"] for check in checks if check["status"] not in HEALTHY} == {}


async def test_a_registered_domain_gets_its_zone_and_a_wildcard(service: Service) -> None:
    """The demo's account domain is in the DNS that the service manages: its certificate comes by dns-01."""
    await map_domain(service, "demo-brand-1.com")

    async def is_certified() -> bool:
        return await is_trusted(service, "any.demo-brand-1.com")

    await map_domain(service, "any.demo-brand-1.com")
    await eventually(is_certified)


async def test_it_survives_a_restart(service: Service) -> None:
    before = {key: service.demo[key] for key in ("nameServer", "acmeDirectory", "acmeCaFile")}
    await service.stop()
    await service.start()
    assert {key: service.demo[key] for key in before} == before
    await map_domain(service, "later.example")

    async def is_certified() -> bool:
        return await is_trusted(service, "later.example")

    await eventually(is_certified)


@pytest.mark.system
async def test_curl_accepts_the_certificate_and_kdig_finds_the_domain(service: Service) -> None:
    await map_domain(service, "curl.example")

    async def is_certified() -> bool:
        return await is_trusted(service, "curl.example")

    await eventually(is_certified)
    port = service.demo["siteTlsUrl"].rpartition(":")[2]
    trusting = ["curl", "-sS", "-o", "/dev/null", "-w", "%{ssl_verify_result}", "--cacert", service.demo["acmeCaFile"]]
    resolved = ["--resolve", f"curl.example:{port}:127.0.0.1"]
    assert await run(*trusting, *resolved, f"https://curl.example:{port}/") == "0"
    host, _, name_port = service.demo["nameServer"].rpartition(":")
    assert await run("kdig", "+short", f"@{host}", "-p", name_port, "curl.example") == "127.0.0.1\n"


class WithoutDemo(Service):
    options = ()


async def test_without_the_demo_there_is_no_such_network(tmp_path: Path) -> None:
    await make_migrated(tmp_path / "data")
    service = WithoutDemo(tmp_path / "data")
    await service.start()
    await service.stop()
    assert service.pids("worker")
    assert service.pids("demo-network") == []
    assert not (service.data_dir / "demo-network").exists()
