"""`sitewright serve` as an operator runs it: the start-up contract, draining, and killed processes."""

import asyncio
import contextlib
import os
import signal
import stat
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import httpx
import msgspec
import pytest

from sitewright.processes import WORKER_NICENESS
from sitewright.tenants.credentials.service import OAuthCredentials
from tests.support.cast import SignedBy
from tests.support.data_folders import make_cluster
from tests.support.eventually import eventually
from tests.support.http_clients import http_client
from tests.support.service import (
    TWO_OF_EACH,
    Service,
    children_of,
    free_port,
    is_alive,
    owner_of,
    run_command,
    running_service,
    started_service,
)


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with running_service(tmp_path / "var", **TWO_OF_EACH) as running:
        yield running


@pytest.fixture(scope="module")
async def shared_service(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Service]:
    """For tests that do not change it."""
    async with started_service(tmp_path_factory.mktemp("serve") / "var") as running:
        yield running


async def test_demo_json_contains_all_that_a_caller_needs(shared_service: Service) -> None:
    demo = shared_service.demo
    assert set(demo) == {
        "apiUrl", "siteUrl", "siteTlsUrl", "mailDir", "systemOwner", "brands", "staff", "testBrand", "historyBrand",
        "nameServer", "acmeDirectory", "acmeCaFile",
    }  # fmt: skip
    assert set(demo["staff"]) == {"support", "viewer"}
    assert (demo["apiUrl"], demo["siteUrl"]) == (shared_service.api_url, shared_service.site_url)
    assert demo["siteTlsUrl"] == shared_service.site_tls_url
    assert [(brand["brandRef"], brand["model"]) for brand in demo["brands"]] == [(1, "freemium"), (2, "trial")]
    test_brand = dict(demo["testBrand"])
    assert (test_brand.pop("testMode"), test_brand["packages"]["trial"] is not None) == (True, True)
    for brand in (*demo["brands"], test_brand):
        assert set(brand) == {
            "brandRef", "model", "domain", "webhookSecret", "basic", "oauth", "packages", "languages", "templates",
            "demoUser",
        }  # fmt: skip
        oauth = msgspec.convert(brand["oauth"], OAuthCredentials)
        owner = (demo["systemOwner"]["username"], demo["systemOwner"]["password"])
        basic = (brand["basic"]["username"], brand["basic"]["password"])
        async with http_client(demo["apiUrl"]) as client:
            for auth in (SignedBy(oauth), basic, owner):
                response = await client.get(f"/brands/{brand['brandRef']}/languages", auth=auth)
                assert [each["code"] for each in response.json()["languages"]] == brand["languages"]


async def test_files_with_secrets_are_readable_by_their_owner_only(shared_service: Service) -> None:
    for name in ("demo.json", "master.key", "postgres.password", "default-certificate.pem"):
        file = shared_service.data_dir / name
        await eventually(file.exists)  # the edge server may create its certificate after the API is ready
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


async def test_unknown_hosts_get_the_holding_page(shared_service: Service) -> None:
    async with http_client() as client:
        response = await client.get(f"{shared_service.site_url}/any/path", headers={"Host": "nobody.example"})
    assert (response.status_code, response.headers["x-sitewright-page"]) == (404, "holding")
    assert "No website here yet" in response.text


async def test_commands_work_while_it_runs(shared_service: Service) -> None:
    async def run(*arguments: str) -> tuple[int, str]:
        return await run_command(shared_service.data_dir, *arguments, **shared_service.settings)

    code, output = await run("credentials", "list")
    assert (code, output.count("brand-admin"), output.count("system-owner")) == (0, 6, 1)
    code, output = await run("call", "GET", "/brands/1/languages")
    assert (code, "Español" in output) == (0, True)
    code, output = await run("call", "GET", "/brands/2/languages")
    assert (code, "brandMismatch" in output) == (1, True)
    code, output = await run("doctor")
    assert (code, output.count("this installation is running there")) == (0, 3)


async def test_a_port_in_use_is_reported(shared_service: Service, tmp_path: Path) -> None:
    await make_cluster(tmp_path / "var")
    code, output = await run_command(tmp_path / "var", "serve", **shared_service.settings)
    assert code == 1
    assert f"port {shared_service.settings['api_port']}: Address already in use. Set SITEWRIGHT_API_PORT" in output


async def test_a_second_serve_on_the_same_folder_is_refused_and_changes_nothing(shared_service: Service) -> None:
    before = shared_service.demo
    code, output = await run_command(shared_service.data_dir, "serve", "--demo", api_port=free_port())
    assert (code, "in use by another process of Sitewright" in output) == (1, True)
    assert shared_service.demo == before


async def test_a_serve_that_finds_its_port_taken_leaves_demo_json_alone(
    shared_service: Service, tmp_path: Path
) -> None:
    data_dir = tmp_path / "var"
    await make_cluster(data_dir)
    code, _ = await run_command(data_dir, "serve", "--demo", **shared_service.settings)
    assert (code, (data_dir / "demo.json").exists()) == (1, False)


async def test_a_second_start_finds_the_same_demo_and_repeats_no_work(service: Service) -> None:
    before, changed = service.demo, await _last_change(service)
    assert await service.stop() == 0
    await service.start()
    assert (service.demo, await _last_change(service)) == (before, changed)
    async with service.client() as client:
        assert (await client.get("/brands/1/languages")).status_code == 200


async def _last_change(service: Service) -> tuple[object, ...]:
    """What migrations and the demo would change if they did their work again."""
    async with owner_of(service) as rows:
        found = await rows.fetchrow(
            """
            select (select count(*) from audit_entries), (select count(*) from schema_migrations),
                   (select count(*) from users), (select count(*) from pages)
            """
        )
    return tuple(found or ())


async def test_killed_processes_are_restarted_while_clients_wait(service: Service) -> None:
    for part in ("api", "edge", "worker"):
        before = service.pids(part)
        for pid in before:
            os.kill(pid, signal.SIGKILL)
        await eventually(partial(_all_started_again, service, part, len(before)))
        async with service.client() as client:
            assert (await client.get("/brands/1/languages")).status_code == 200
            assert (await client.get(service.site_url)).status_code == 404


def _all_started_again(service: Service, part: str, count: int) -> bool:
    return len(service.pids(part)) == 2 * count


async def test_a_killed_database_is_503_for_a_moment_and_then_back(service: Service) -> None:
    [postmaster] = _postmasters(service)
    async with service.client() as client:
        assert (await client.get("/brands/1/languages")).status_code == 200
        os.kill(postmaster, signal.SIGKILL)
        seen = set()

        async def is_back() -> bool:
            response = await client.get("/brands/1/languages")
            seen.add(response.status_code)
            assert response.status_code in (200, 503), response.text
            if response.status_code == 503:
                assert response.headers["retry-after"] == "2"
                assert response.json()["code"] == "temporarilyUnavailable"
            return response.status_code == 200 and 503 in seen

        await eventually(is_back)


async def test_a_killed_supervisor_leaves_nothing_behind_and_a_new_one_starts(service: Service) -> None:
    await eventually(lambda: len(service.children()) == 7)  # two of api and of edge, worker, database, demo network
    children = service.children()
    backends = [pid for child in children for pid in _descendants(child)]
    service.process.kill()
    await service.process.wait()
    await eventually(lambda: not any(is_alive(pid) for pid in [*children, *backends]))
    await service.start()
    async with service.client() as client:
        assert (await client.get("/brands/1/languages")).status_code == 200


def _descendants(pid: int) -> list[int]:
    return [each for child in children_of(pid) for each in (child, *_descendants(child))]


async def test_only_the_worker_has_a_low_priority(shared_service: Service) -> None:
    [worker] = shared_service.pids("worker")
    await eventually(lambda: _niceness(worker) == WORKER_NICENESS)
    assert {_niceness(pid) for pid in shared_service.children() if pid != worker} == {0}


def _postmasters(service: Service) -> list[int]:
    return [pid for pid, name in service.children().items() if "postgres" in name]


def _niceness(pid: int) -> int:
    return os.getpriority(os.PRIO_PROCESS, pid)


async def test_sigterm_ends_everything_with_0(service: Service) -> None:
    children = list(service.children())
    assert await service.stop() == 0
    assert not any(is_alive(pid) for pid in children)


async def test_sigterm_interrupts_no_request(service: Service) -> None:
    """Clients that never pause see complete responses, then refused connections, and nothing else."""
    outcomes: list[str] = []

    async def keep_calling() -> None:
        async with service.client() as client:
            with contextlib.suppress(httpx.ConnectError):
                while True:
                    response = await client.get("/brands/1/languages")
                    outcomes.append(f"{response.status_code} {len(response.content)}")

    callers = [asyncio.create_task(keep_calling()) for _ in range(4)]
    await eventually(lambda: len(outcomes) > 100)
    assert await service.stop() == 0
    results = await asyncio.gather(*callers, return_exceptions=True)
    assert len(set(outcomes)) == 1
    assert outcomes[0].startswith("200 ")
    assert [result for result in results if result is not None] == []
