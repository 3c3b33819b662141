"""SIGHUP: processes with the new settings replace the former ones, and no client notices."""

import json
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.chaos.stage import journal_of
from tests.support.eventually import eventually
from tests.support.http_clients import http_client
from tests.support.journal import OF_OUR_OWN
from tests.support.service import Service, is_alive, running_service

PARTS = ("api", "edge", "worker")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "sitewright.toml"
    file.write_text("hsts_seconds = 100\n")
    return file


@pytest.fixture
async def service(tmp_path: Path, file: Path) -> AsyncIterator[Service]:
    async with running_service(tmp_path / "var", config=file, workers=1, edge_processes=1) as running:
        yield running


def reports(service: Service) -> list[dict[str, Any]]:
    """What was logged about settings."""
    lines = [line for line in service.log.read_text().splitlines() if '"sitewright.settings"' in line]
    return [json.loads(line) for line in lines]


async def hsts_of(service: Service) -> str | None:
    """As an https client behind a trusted proxy sees it."""
    async with http_client() as client:
        response = await client.get(f"{service.api_url}/login", headers={"X-Forwarded-Proto": "https"})
    found: str | None = response.headers.get("strict-transport-security")
    return found


async def test_new_settings_apply_without_a_lost_request(service: Service, file: Path) -> None:
    former = {part: service.pids(part) for part in PARTS}
    journal = journal_of(service)
    async with service.client() as client, journal.kept_by([client] * 2):
        await eventually(lambda: journal.acknowledged > 3)
        file.write_text('hsts_seconds = 200\ntrusted_proxies = ["127.0.0.1"]\nclock_offset_seconds = 1\n')
        service.process.send_signal(signal.SIGHUP)
        await eventually(lambda: not any(is_alive(pid) for pids in former.values() for pid in pids))
        enough = journal.acknowledged + 5
        await eventually(lambda: journal.acknowledged > enough)
    assert set(journal.heard) - OF_OUR_OWN <= {"200", "201"}, journal.heard
    [report] = reports(service)
    assert report["changed"] == ["trusted_proxies", "hsts_seconds"]
    assert report["need_restart"] == ["clock_offset_seconds"]
    assert await hsts_of(service) == "max-age=200"
    assert [len(service.pids(part)) for part in PARTS] == [2, 2, 2]


async def test_settings_that_change_again_during_a_reload_apply_after_it(service: Service, file: Path) -> None:
    file.write_text("hsts_seconds = 200\n")
    service.process.send_signal(signal.SIGHUP)
    await eventually(lambda: len(service.pids("api")) == 2)
    file.write_text('hsts_seconds = 300\ntrusted_proxies = ["127.0.0.1"]\n')
    service.process.send_signal(signal.SIGHUP)
    once = [False, False, True]
    await eventually(lambda: [[is_alive(pid) for pid in service.pids(part)] for part in PARTS] == [once] * len(PARTS))
    assert await hsts_of(service) == "max-age=300"


async def test_invalid_settings_change_nothing(service: Service, file: Path) -> None:
    file.write_text("hsts_seconds = -1\n")
    service.process.send_signal(signal.SIGHUP)
    await eventually(lambda: reports(service))
    [report] = reports(service)
    assert "not reloaded" in report["message"] and "hsts_seconds" in report["message"]
    assert await service.is_ready()


async def test_settings_that_a_process_does_not_start_with_are_taken_back(service: Service, file: Path) -> None:
    former = [pid for part in PARTS for pid in service.pids(part)]
    file.write_text('master_key = "no key"\n')
    service.process.send_signal(signal.SIGHUP)
    await eventually(lambda: "does not run with the new settings" in service.log.read_text())
    assert all(is_alive(pid) for pid in former)
    assert await service.is_ready()
    file.write_text("hsts_seconds = 300\n")
    service.process.send_signal(signal.SIGHUP)
    await eventually(lambda: not any(is_alive(pid) for pid in former))
    assert await service.is_ready()
