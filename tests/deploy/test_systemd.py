"""The units of `deploy/systemd`: checked by systemd's own programs, and run by a substitute for systemd."""

import asyncio
import contextlib
import os
import re
import signal
import sys
from collections import Counter
from pathlib import Path

import pytest

from sitewright.installation.layout import Layout
from sitewright.installation.units import SHIPPED, Kind, folders_file, unit_files, users_file
from sitewright.kit.key_file import KeyFile
from tests.support.commands import run
from tests.support.eventually import eventually
from tests.support.http_clients import http_client
from tests.support.service import PATIENT, children_of, free_port, make_migrated
from tests.support.systemd import ServiceUnit, running_units

BEST_ALLOWED = 2.0
KINDS: tuple[Kind, ...] = ("all-in-one", "parts")
RATING = re.compile(r"exposure level for \S+: ([0-9.]+)")
PORTS = ("api_port", "site_port", "site_tls_port")
PATIENTLY = {f"SITEWRIGHT_{name.upper()}": str(value) for name, value in PATIENT.items()}


def shipped(kind: Kind, ending: str) -> dict[str, str]:
    return {each.name: each.read_text() for each in (SHIPPED / kind).iterdir() if each.name.endswith(ending)}


def test_all_services_have_the_same_limits() -> None:
    texts = [text for kind in KINDS for text in shipped(kind, ".service").values()]
    limits = {text.partition("# What the service may do")[2].partition("[Install]")[0] for text in texts}
    assert len(texts) == 4
    assert len(limits) == 1
    assert all("Type=notify\n" in text and "WatchdogSec=" in text for text in texts)


@pytest.mark.parametrize("kind", KINDS)
def test_every_socket_is_requested_by_the_service_that_it_starts(kind: Kind) -> None:
    services = shipped(kind, ".service")
    sockets = shipped(kind, ".socket")
    names = {re.findall("FileDescriptorName=(.*)", text)[0] for text in sockets.values()}
    assert names == set(PORTS)
    for name, text in sockets.items():
        [service] = re.findall("Service=(.*)", text)
        for key in ("Sockets", "Requires", "After"):
            assert any(name in line.split() for line in re.findall(f"{key}=(.*)", services[service])), (name, key)


def installed(folder: Path, kind: Kind, credentials: list[str]) -> Layout:
    """An installation in this folder, with ports that are free."""
    command = Path(sys.executable).parent / "sitewright"
    layout = Layout(command=command, config=folder / "etc", state=folder / "state", units=folder / "units")
    for each in (layout.config, layout.credentials, layout.state, layout.units):
        each.mkdir(mode=0o700)
    addresses = {name: f"127.0.0.1:{free_port()}" for name in PORTS}
    for name, text in unit_files(layout, kind, credentials, addresses).items():
        (layout.units / name).write_text(text)
    settings = [f'data_dir = "{layout.data}"', "workers = 2", "edge_processes = 2"]
    settings += [f"{name} = {address.rpartition(':')[2]}" for name, address in addresses.items()]
    layout.settings_file.write_text("\n".join(settings))
    key = KeyFile(layout.credentials / "master_key")
    key.make()
    return layout


@pytest.mark.system
@pytest.mark.parametrize("kind", KINDS)
async def test_systemd_accepts_the_units_and_rates_them_as_secure(tmp_path: Path, kind: Kind) -> None:
    layout = installed(tmp_path, kind, ["master_key"])
    files = [str(each) for each in sorted(layout.units.iterdir())]
    assert await run("systemd-analyze", "verify", "--man=no", *files) == ""
    for file in files:
        if file.endswith(".service"):
            rated = RATING.search(await run("systemd-analyze", "security", "--offline=true", "--no-pager", file))
            assert rated is not None
            assert float(rated[1]) <= BEST_ALLOWED, file


@pytest.mark.system
async def test_the_user_and_the_folders_are_created(tmp_path: Path) -> None:
    """In another root, so that nothing of this machine changes."""
    layout = Layout(command=tmp_path)
    root = tmp_path / "root"
    for name, text in {"sysusers.d": users_file(layout), "tmpfiles.d": folders_file(layout)}.items():
        (root / "etc" / name).mkdir(parents=True)
        (root / "etc" / name / "sitewright.conf").write_text(text)
    await run("systemd-sysusers", f"--root={root}", "sitewright.conf")
    assert "\nsitewright:" in "\n" + (root / "etc" / "passwd").read_text()
    if os.geteuid() == 0:  # only root can give folders to another user
        await run("systemd-tmpfiles", f"--root={root}", "--create", "sitewright.conf")
        modes = {path: (root / path).stat().st_mode & 0o777 for path in ("var/lib/sitewright/data", "etc/sitewright")}
        assert modes == {"var/lib/sitewright/data": 0o700, "etc/sitewright": 0o755}
        assert (root / "etc/sitewright/credentials").stat().st_mode & 0o777 == 0o700


async def test_everything_runs_and_restarts_under_load_without_a_refused_connection(tmp_path: Path) -> None:
    layout = installed(tmp_path, "all-in-one", ["master_key"])
    await make_migrated(layout.data)
    (layout.data / "master.key").unlink(missing_ok=True)
    service = ServiceUnit(layout.units, "sitewright.service", tmp_path, **PATIENTLY)
    async with running_units([service]):
        ends = asyncio.Event()
        load = [asyncio.create_task(_visit(url, ends)) for url in _urls(service) for _ in range(4)]
        for _ in range(2):
            assert await service.stop() == 0
            assert service.notified[-1] == "STOPPING=1"
            await service.start()
        ends.set()
        seen = sum(await asyncio.gather(*load), Counter[int]())
    assert set(seen) == {200, 404}, seen
    assert not (layout.data / "master.key").exists()


def _urls(service: ServiceUnit) -> list[str]:
    return [
        f"http://127.0.0.1:{service.port('api_port')}/health/live",
        f"http://127.0.0.1:{service.port('site_port')}/",
        f"https://127.0.0.1:{service.port('site_tls_port')}/",
    ]


async def _visit(url: str, ends: asyncio.Event) -> Counter[int]:
    """Request with a new connection each time; the statuses. A refused or reset connection raises."""
    seen = Counter[int]()
    async with http_client(verify=False, headers={"Connection": "close"}) as client:
        while not ends.is_set():
            seen[(await client.get(url)).status_code] += 1
    return seen


async def test_a_part_that_hangs_is_restarted_and_the_watchdog_is_fed(tmp_path: Path) -> None:
    layout = installed(tmp_path, "parts", ["database_url", "master_key"])
    (layout.credentials / "database_url").write_text(f"postgresql://nobody@127.0.0.1:{free_port()}/nothing\n")
    service = ServiceUnit(layout.units, "sitewright-api.service", tmp_path, **PATIENTLY)
    try:
        await service.start(watchdog_seconds=10)
        before = set(children_of(service.main_pid))
        assert len(before) == 2
        await eventually(lambda: service.has_reported("WATCHDOG=1"))
        hung = min(before)
        os.kill(hung, signal.SIGSTOP)
        await eventually(lambda: len(now := set(children_of(service.main_pid))) == 2 and hung not in now)
        assert before - {hung} < set(children_of(service.main_pid))
        async with http_client() as client:
            ready = await client.get(f"http://127.0.0.1:{service.port('api_port')}/health/ready")
        assert ready.status_code == 503  # it runs, without its database
    finally:
        if service.process is not None:
            with contextlib.suppress(ProcessLookupError):
                await service.stop()
        service.close()
