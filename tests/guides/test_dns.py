"""Runs every block of the guide to DNS as it stands, on machines with the addresses of the guide."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.support.eventually import eventually
from tests.support.guides import ROOT, blocks, in_section
from tests.support.machines.installed import Installed, install
from tests.support.machines.machine import Machine, missing_right, network

GUIDE = ROOT / "docs" / "operate" / "dns.md"
DOMAIN = "joes-bakery.com"
PRIMARY, SECONDARY = "192.0.2.53", "192.0.2.54"
RUN_ELSEWHERE = {"A registrar": "tests/domains/dns/test_name_servers.py"}
"""Sections whose blocks another test runs."""
SECTIONS = {
    "PowerDNS",
    "Secondary servers",
    "Other name servers",
    "DKIM keys for the mail server",
    "Every day",
    *RUN_ELSEWHERE,
}

needs_machines = pytest.mark.skipif(missing_right() is not None, reason=missing_right() or "")


def test_every_block_is_run_or_marked() -> None:
    assert {block.section for block in blocks(GUIDE) if block.reason is None} == SECTIONS


@asynccontextmanager
async def machines(folder: Path) -> AsyncIterator[tuple[Machine, Machine, Installed]]:
    """Two name servers; the service is on the first one."""
    async with network(folder, internet="192.0.2.1", ns1=PRIMARY, ns2=SECONDARY) as (_, first, second):
        yield first, second, await install(first, folder / "demo")


async def ask(machine: Machine, server: str, name: str, kind: str) -> list[str]:
    output = await machine.run(f"kdig +short +tcp @{server} {name} {kind}", ok=False)
    return sorted(output.split("\n"))[1:]


async def eventually_has(machine: Machine, server: str, name: str, kind: str, *values: str) -> None:
    async def has() -> bool:
        return await ask(machine, server, name, kind) == sorted(values)

    await eventually(has)


async def register(service: Installed) -> tuple[int, int]:
    """The refs of an account holder and of the domain that the guide names."""
    brand = service.demo["brands"][0]
    user_ref = brand["demoUser"]["userRef"]
    order = {"domainName": DOMAIN, "packageRef": brand["packages"]["domain"]}
    bought = await service.call("POST", f"/users/{user_ref}/account-domains", order)
    return user_ref, bought["accountDomain"]["ref"]


@pytest.mark.system
@needs_machines
async def test_powerdns_with_a_secondary_and_dkim_keys(tmp_path: Path) -> None:
    async with machines(tmp_path) as (first, second, service):
        for block in in_section(GUIDE, "PowerDNS"):
            await first.follow(block)
        for block in in_section(GUIDE, "Secondary servers"):
            await second.follow(block)
        await service.serve()
        user_ref, domain_ref = await register(service)
        for server in (PRIMARY, SECONDARY):
            await eventually_has(second, server, DOMAIN, "A", "192.0.2.80")
            await eventually_has(second, server, DOMAIN, "NS", "ns1.example.com.", "ns2.example.com.")
        mailboxes = f"/users/{user_ref}/domains/{domain_ref}/mailboxes"
        await service.call("PUT", f"{mailboxes}/info", {"password": "correct horse battery"})
        await eventually_has(second, SECONDARY, DOMAIN, "MX", "10 mail.example.com.")
        await first.run("groupadd --system _rspamd")  # rspamd's package does this
        [keys] = in_section(GUIDE, "DKIM keys for the mail server")
        assert "1 key in /var/lib/rspamd/dkim." in await first.follow(keys)
        [file] = first.path("/var/lib/rspamd/dkim").iterdir()
        selector = file.name.removeprefix(f"{DOMAIN}.").removesuffix(".key")
        assert "PRIVATE KEY" in file.read_text()
        assert await ask(second, SECONDARY, f"{selector}._domainkey.{DOMAIN}", "TXT")
        [daily] = in_section(GUIDE, "Every day")
        assert f"{DOMAIN} (brand 1): the name servers have all records" in await first.follow(daily)


@pytest.mark.system
@needs_machines
async def test_dynamic_updates_of_a_zone_that_is_created_late(tmp_path: Path) -> None:
    async with machines(tmp_path) as (first, second, service):
        *files, commands, settings = in_section(GUIDE, "Other name servers")
        for block in (*files, settings):
            await first.follow(block)
        await service.serve()
        await register(service)

        async def waits() -> bool:
            return f"has no zone {DOMAIN}" in await first.run("sitewright dns list --attention")

        await eventually(waits)
        await service.stop()  # the day's commands send what the worker would
        await first.follow(commands)
        [daily] = in_section(GUIDE, "Every day")
        output = await first.run(daily.code, ok=False)  # the demo's other domains have no zone there
        assert f"+ {DOMAIN} 3600 A 192.0.2.80" in output
        assert output.count(f"has no zone {DOMAIN}") == 1  # in the list of before
        assert await ask(second, PRIMARY, DOMAIN, "A") == ["192.0.2.80"]
