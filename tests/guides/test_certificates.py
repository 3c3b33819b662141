"""Runs the guide to automatic certificates: its commands on the demo, and its settings in real processes."""

import asyncio
import shutil
import ssl
import tomllib
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sitewright import settings
from sitewright.demo.authority.service import Authority, authority
from sitewright.demo.name_server.service import name_server
from sitewright.kit.embedded import EmbeddedPostgres
from tests.guides.test_integrate import START, run, script
from tests.support.eventually import eventually
from tests.support.forked import fork_command
from tests.support.guides import ROOT, Block, blocks, in_section
from tests.support.http_clients import http_client
from tests.support.machines.installed import Installed, install
from tests.support.machines.machine import OUTSIDE, SETTINGS_FILE, internet, missing_right
from tests.support.service import Service, environment, free_port, make_migrated, running_service

GUIDE = ROOT / "docs" / "operate" / "certificates.md"
LOOPBACK = "127.0.0.1"
OWN_HOST = "service.example.com"
SECTIONS = {
    "Try it in the demo",
    "On one machine",
    "Behind a load balancer",
    "Limits of authorities",
    "Other authorities",
    "What to watch",
}


def settings_of(section: str) -> dict[str, Any]:
    """The settings of a section's example."""
    [block] = [each for each in in_section(GUIDE, section) if each.language == "toml"]
    return tomllib.loads(block.code)


def test_every_block_is_run_or_marked() -> None:
    assert {block.section for block in blocks(GUIDE) if block.reason is None} == SECTIONS


@pytest.mark.system
async def test_the_demo_does_what_the_guide_says(tmp_path: Path) -> None:
    found = in_section(GUIDE, "Try it in the demo")
    assert found[0].code == START
    async with running_service(tmp_path / "var") as service:
        code, output = await run(script(found[1:], service), service)
    assert code == 0, output
    for expected in ("issuer: CN=Sitewright demo authority", '"source": "automatic"', '"status": "valid"'):
        assert expected in output


@pytest.mark.parametrize("block", [pytest.param(each, id=f"line {each.line}") for each in blocks(GUIDE)])
def test_all_settings_are_valid(block: Block, tmp_path: Path) -> None:
    assert block.language in {"sh", "toml"}
    if block.language == "toml":
        file = tmp_path / "sitewright.toml"
        file.write_text(block.code)
        loaded = settings.load({}, file)
        assert set(tomllib.loads(block.code)) <= set(msgspec.structs.asdict(loaded))


@pytest.mark.system
@pytest.mark.skipif(missing_right() is not None, reason=missing_right() or "")
async def test_one_machine_gets_all_its_certificates(tmp_path: Path) -> None:
    """As the guide stands: on ports 80 and 443, from an authority that is reached by the name of Let's Encrypt."""
    async with internet(tmp_path, "service", "192.0.2.10") as (outside, host):
        host.resolve_by(OUTSIDE)
        outside.resolve_by(OUTSIDE)
        service = await install(host, tmp_path / "demo")
        settings, start = in_section(GUIDE, "On one machine")
        for block in (settings, *in_section(GUIDE, "Limits of authorities")):
            await host.follow(block)
        await service.serve(start.code)
        shown = "curl --silent --fail https://service.example.com/health/ready"
        await eventually(lambda: outside.run(shown, ok=False))
        assert await outside.run(shown) == '{"status":"ready"}'
        await map_to_the_demo(service, "shop.example")
        await eventually(lambda: outside.run("curl --silent https://shop.example/", ok=False))
        [watching] = in_section(GUIDE, "What to watch")
        output = await host.follow(watching)
        assert "service.example.com" in output
        assert "shop.example: ok" in output
        await service.stop()
        await use_another_authority(service)
        await service.serve()
        await map_to_the_demo(service, "elsewhere.example")
        await eventually(lambda: outside.run("curl --silent https://elsewhere.example/", ok=False))
        dates = "openssl s_client -connect 192.0.2.10:443 -servername elsewhere.example </dev/null 2>/dev/null"
        assert (
            await outside.run(f"{dates} | openssl x509 -noout -checkend 604800", ok=False)
            == "Certificate will expire\n"
        )


async def map_to_the_demo(service: Installed, host: str) -> None:
    site_ref = service.demo["brands"][0]["demoUser"]["siteRef"]
    await service.call("POST", f"/sites/{site_ref}/domains", {"domain": host})


async def use_another_authority(service: Installed) -> None:
    """With the guide's account key, for certificates of a few days."""
    [settings] = in_section(GUIDE, "Other authorities")
    file = service.machine.path(SETTINGS_FILE)
    others = [line for line in file.read_text().splitlines() if not line.startswith("acme_")]
    file.write_text("\n".join(others))
    await service.machine.follow(settings)


class Plain(Service):
    """`sitewright serve`, without the demo."""

    options = ()


def on_this_machine(chosen: dict[str, Any], ca: Authority) -> dict[str, Any]:
    """The guide's settings, with this machine's address and the test's authority."""
    as_text = {name: ",".join(value) if isinstance(value, list) else value for name, value in chosen.items()}
    return as_text | {
        "host": LOOPBACK,
        "site_addresses": LOOPBACK,
        "acme_directory": ca.directory,
        "acme_ca_file": ca.ca_file,
        "acme_staging_directory": "",
    }


async def is_trusted(ca: Authority, port: int, host: str) -> bool:
    context = ssl.create_default_context(cafile=str(ca.ca_file))
    try:
        _, writer = await asyncio.open_connection(LOOPBACK, port, ssl=context, server_hostname=host)
    except (ssl.SSLError, OSError):
        return False
    writer.close()
    return True


async def test_one_machine_serves_its_own_host_over_https(tmp_path: Path) -> None:
    site_port, tls_port = free_port(), free_port()
    chosen = settings_of("On one machine") | {
        "site_port": site_port,
        "site_tls_port": tls_port,
        "site_public_port": site_port,
        "site_public_tls_port": tls_port,
    }
    async with AsyncExitStack() as stack:
        names = await stack.enter_async_context(name_server(fallback=[LOOPBACK]))
        ca = await stack.enter_async_context(authority(resolver=names.address, http_port=site_port))
        await make_migrated(tmp_path / "data")
        service = Plain(tmp_path / "data", **on_this_machine(chosen, ca), dns_resolvers=names.address)
        stack.push_async_callback(service.stop)
        await service.start()
        await eventually(partial(is_trusted, ca, tls_port, OWN_HOST))
        async with http_client(verify=False) as client:
            response = await client.get(f"https://{LOOPBACK}:{tls_port}/health/ready", headers={"Host": OWN_HOST})
    assert response.json() == {"status": "ready"}


@asynccontextmanager
async def balanced(port: int, targets: Sequence[int]) -> AsyncIterator[None]:
    """A load balancer that passes TCP through, to each edge server in turn."""
    turns = iter(range(10**9))

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            onward = await asyncio.open_connection(LOOPBACK, targets[next(turns) % len(targets)])
        except OSError:
            writer.close()
            return
        async with asyncio.TaskGroup() as group:
            group.create_task(copy(reader, onward[1]))
            group.create_task(copy(onward[0], writer))

    server = await asyncio.start_server(carry, LOOPBACK, port)
    try:
        yield
    finally:
        server.close()


async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    writer.close()


@asynccontextmanager
async def second_edge_server(service: Service, folder: Path, **chosen: Any) -> AsyncIterator[None]:
    """As on another machine: it has only the database and the master key."""
    database = EmbeddedPostgres.running(service.data_dir)
    assert database is not None
    folder.mkdir()
    shutil.copy(service.data_dir / "master.key", folder)
    environ = environment(folder, **chosen, database_url=database.url)
    process = await fork_command("edge", env=environ)
    try:
        yield
    finally:
        process.terminate()
        await process.wait()


async def test_edge_servers_behind_a_load_balancer_answer_for_each_other(tmp_path: Path) -> None:
    """The authority comes through the load balancer, to either of them."""
    balancer, ports, tls_ports = free_port(), [free_port(), free_port()], [free_port(), free_port()]
    async with AsyncExitStack() as stack:
        ca = await stack.enter_async_context(authority(http_port=balancer))
        chosen = on_this_machine(settings_of("Behind a load balancer"), ca)
        first, second = (
            chosen | {"site_port": port, "site_tls_port": tls_port}
            for port, tls_port in zip(ports, tls_ports, strict=True)
        )
        service = await stack.enter_async_context(running_service(tmp_path / "var", **first))
        await stack.enter_async_context(second_edge_server(service, tmp_path / "second", **second))
        await stack.enter_async_context(balanced(balancer, ports))
        site_ref = service.demo["brands"][0]["demoUser"]["siteRef"]
        hosts = [f"shop-{number}.example" for number in range(4)]
        async with service.client() as client:
            for host in hosts:
                response = await client.post(f"/sites/{site_ref}/domains", json={"domain": host})
                assert response.status_code == 201, response.text
        for host in hosts:
            for port in tls_ports:
                await eventually(partial(is_trusted, ca, port, host))
    assert sorted(name for order in ca.orders for name in order.names if name in hosts) == hosts
