"""Follows the production guide from an empty machine to a running, backed-up and monitored service with https."""

import asyncio
import os
from pathlib import Path

import pytest

from tests.support.guides import ROOT, blocks, in_section
from tests.support.machines.machine import OUTSIDE, Machine, internet, missing_right
from tests.support.timeouts import HANG_SECONDS

GUIDE = ROOT / "docs" / "operate" / "production.md"
REPOSITORY, TAG = "/srv/sitewright", "v99.0.0"
IN_ORDER = ["Install", "systemd", "The first brand", "Backup", "Monitoring", "Upgrade"]
RUN_ELSEWHERE = {"Behind a proxy": "tests/guides/test_proxy.py"}
"""Sections whose blocks another test runs."""
OF_PIP = ("PIP_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")

FETCH_ONE_PACKAGE = "python3 -m venv /tmp/pip && /tmp/pip/bin/pip download --quiet --dest /tmp/pip idna && echo fetched"


def test_every_block_is_run_or_marked() -> None:
    run = {block.section for block in blocks(GUIDE) if block.reason is None}
    assert run == {*IN_ORDER, *RUN_ELSEWHERE}


async def publish_source(machine: Machine, folder: Path) -> None:
    """This source as a repository that the machine can clone."""
    files = f"git -c safe.directory='*' -C {ROOT} ls-files -z --cached --others --exclude-standard"
    copying = f"xargs -0 ls -d 2>/dev/null | xargs cp --no-dereference --parents --target-directory {folder}"
    process = await asyncio.create_subprocess_exec("bash", "-c", f"mkdir {folder} && cd {ROOT} && {files} | {copying}")
    assert await process.wait() == 0
    moving = await asyncio.create_subprocess_exec("cp", "--recursive", str(folder), str(machine.path(REPOSITORY)))
    assert await moving.wait() == 0
    await machine.run(
        f"cd {REPOSITORY} && git init --quiet && git add --all --force && {commit('The source of this test')}"
    )


def commit(subject: str) -> str:
    return f"git -c user.name=test -c user.email=test@example.com commit --quiet --allow-empty --message '{subject}'"


async def install(machine: Machine) -> None:
    """With the network of the test's machine, for the packages."""
    for_pip = {name: value for name, value in os.environ.items() if name.upper().startswith(OF_PIP)}
    tried = await machine.run(FETCH_ONE_PACKAGE, ok=False, outside=True, environment=for_pip)
    if not tried.endswith("fetched\n"):
        pytest.skip(f"no Python packages can be installed on a machine of the test's own: {tried[-500:]}")
    for block in in_section(GUIDE, "Install"):
        if block.language != "sh":
            await machine.follow(block)
            continue
        code = block.code.replace("<this repository>", REPOSITORY)
        await machine.run(code, outside=True, limit=4 * HANG_SECONDS, environment=for_pip)


async def follow(machine: Machine, section: str) -> str:
    return "".join([await machine.follow(block) for block in in_section(GUIDE, section)])


async def upgrade(machine: Machine) -> None:
    await machine.run(f"cd {REPOSITORY} && {commit('The next release')} && git tag {TAG}")
    [block] = in_section(GUIDE, "Upgrade")
    await machine.run(block.code.replace("<tag>", TAG))


@pytest.mark.system
@pytest.mark.skipif(missing_right() is not None, reason=missing_right() or "")
async def test_the_guide_leads_to_a_running_service(tmp_path: Path) -> None:
    async with internet(tmp_path, "service", "192.0.2.10") as (outside, machine):
        await publish_source(machine, tmp_path / "source")
        await install(machine)
        for each in (outside, machine):
            each.resolve_by(OUTSIDE)
        assert '{"status":"ready"}' in await follow(machine, "systemd")
        assert '"username": "ann"' in await follow(machine, "The first brand")
        await follow(machine, "Backup")
        [dump] = machine.path("/backup").iterdir()
        assert dump.stat().st_mode & 0o077 == 0
        alerts = await follow(machine, "Monitoring")
        assert '"name":"SitewrightDown"' in alerts
        await upgrade(machine)
        ready = "until curl --silent --fail https://service.example.com/health/ready; do sleep 1; done"
        assert await outside.run(ready) == '{"status":"ready"}'
        found = await machine.run(
            "SITEWRIGHT_CREDENTIALS=$(cat /root/billing.json) sitewright call GET /users?username=ann"
        )
        assert "ann@northwind.example" in found
