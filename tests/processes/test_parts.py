"""Single processes with a configured database, and commands that need no running service."""

import asyncio
import contextlib
import json
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import httpx
import pytest

from tests.support.eventually import eventually
from tests.support.forked import ForkedProcess, fork_command
from tests.support.http_clients import http_client
from tests.support.service import COMMAND, environment, free_port, make_migrated, run_command
from tests.support.timeouts import HANG_SECONDS


@pytest.fixture
async def other_database(database_url: str) -> AsyncIterator[dict[str, str]]:
    """A separate database in the tests' server, with a log-in that owns nothing."""
    owner = await asyncpg.connect(database_url)
    await owner.execute("create database parts")
    await owner.execute("create role parts_login login password 'parts'")
    await owner.execute("grant sitewright_service to parts_login")
    parts = urlsplit(database_url)
    owner_url = urlunsplit(parts._replace(path="/parts"))
    service_url = owner_url.replace(parts.netloc.rpartition("@")[0], "parts_login:parts")
    yield {"database_url": service_url, "owner_database_url": owner_url}
    await owner.execute("drop database parts with (force)")
    await owner.execute("drop role parts_login")
    await owner.close()


async def test_api_edge_and_worker_each_run_alone(tmp_path: Path, other_database: dict[str, str]) -> None:
    ports = {"api_port": free_port(), "site_port": free_port()}
    settings = other_database | ports
    code, output = await run_command(tmp_path, "migrate", **settings)
    assert (code, "up to date" in output) == (0, True)

    async def all_respond() -> bool:
        try:
            async with http_client() as client:
                ready = await client.get(f"http://127.0.0.1:{ports['api_port']}/health/ready")
                site = await client.get(f"http://127.0.0.1:{ports['site_port']}/")
        except httpx.HTTPError:
            return False
        return (ready.status_code, site.status_code) == (200, 404)

    async with contextlib.AsyncExitStack() as stack:
        for part in ("api", "edge", "worker"):
            await stack.enter_async_context(started(tmp_path, part, **settings))
        await eventually(all_respond)
    assert not (tmp_path / "postgres").exists()


async def test_a_server_that_allows_too_few_connections_is_named_at_the_start(
    tmp_path: Path, other_database: dict[str, str], database_url: str
) -> None:
    owner = await asyncpg.connect(database_url)
    await owner.execute("alter role parts_login connection limit 5")
    await owner.close()
    settings = other_database | {"api_port": str(free_port()), "workers": "4"}
    code, output = await run_command(tmp_path, "api", **settings)
    assert (code, "even 2 for each process do not fit" in output) == (1, True)
    await run_command(tmp_path, "migrate", **settings)
    code, output = await run_command(tmp_path, "doctor", **settings)
    assert (code, "raise max_connections of the server by" in " ".join(output.split())) == (1, True), output


async def test_the_api_starts_and_returns_503_while_the_database_is_unreachable(tmp_path: Path) -> None:
    port = free_port()
    settings = {"database_url": f"postgresql://nobody@127.0.0.1:{free_port()}/nothing", "api_port": port}
    async with started(tmp_path, "api", **settings):
        responses = []

        async def responds() -> bool:
            with contextlib.suppress(httpx.HTTPError):
                async with http_client(f"http://127.0.0.1:{port}") as client:
                    responses.append(await client.get("/health/ready"))
                    responses.append(await client.get("/brands/1/languages", auth=("someone", "something")))
            return bool(responses)

        await eventually(responds)
    assert [(response.status_code, response.headers["retry-after"]) for response in responses] == [(503, "2")] * 2


async def test_the_api_returns_503_while_the_database_has_no_tables(
    tmp_path: Path, other_database: dict[str, str]
) -> None:
    port = free_port()
    async with started(tmp_path, "api", api_port=port, **other_database):
        responses = []

        async def responds() -> bool:
            with contextlib.suppress(httpx.HTTPError):
                async with http_client(f"http://127.0.0.1:{port}") as client:
                    paths = ("/health/ready", "/brands/1/languages", "/metrics")
                    responses.extend([await client.get(path, auth=("someone", "something")) for path in paths])
            return bool(responses)

        await eventually(responds)
    assert [response.status_code for response in responses] == [503] * 3
    assert "sitewright migrate" in responses[1].json()["detail"]


async def test_sigterm_during_the_start_ends_well(tmp_path: Path) -> None:
    environ = environment(tmp_path, api_port=free_port(), site_port=free_port())
    process = await asyncio.create_subprocess_exec(*COMMAND, "serve", env=environ, stderr=asyncio.subprocess.DEVNULL)
    await eventually((tmp_path / "postgres.lock").exists)
    process.terminate()
    assert await asyncio.wait_for(process.wait(), HANG_SECONDS) == 0


async def test_serve_without_its_database_reports_it(tmp_path: Path) -> None:
    url = f"postgresql://nobody@127.0.0.1:{free_port()}/nothing"
    code, output = await run_command(tmp_path, "serve", database_url=url, api_port=free_port())
    assert code == 1
    assert output.startswith("sitewright: ")
    assert "Traceback" not in output


@contextlib.asynccontextmanager
async def started(
    data_dir: Path, part: str, output: BinaryIO | int = subprocess.DEVNULL, /, **settings: object
) -> AsyncIterator[ForkedProcess]:
    environ = environment(data_dir, **settings)
    process = await fork_command(part, env=environ, output=output)
    try:
        yield process
    finally:
        process.terminate()
        assert await asyncio.wait_for(process.wait(), HANG_SECONDS) == 0


async def test_credentials_are_created_used_listed_and_revoked_from_the_shell(tmp_path: Path) -> None:
    """Without a running service: the embedded database is started for each command."""
    await make_migrated(tmp_path)
    code, output = await run_command(tmp_path, "credentials", "create", "--operator", "root")
    assert code == 0
    assert set(json.loads(output)) == {"username", "password"}
    code, output = await run_command(tmp_path, "credentials", "create", "--operator", "root")
    assert (code, "user name exists" in output) == (1, True)
    code, output = await run_command(tmp_path, "credentials", "reset-password", "1")
    assert (code, set(json.loads(output))) == (0, {"username", "password"})
    code, output = await run_command(tmp_path, "credentials", "create", "--brand", "77")
    assert (code, "no brand with this ref" in output) == (1, True)
    code, output = await run_command(tmp_path, "credentials", "create")
    assert (code, "--brand REF" in output) == (2, True)
    code, output = await run_command(tmp_path, "credentials", "revoke", "operator", "1")
    assert (code, output) == (0, "Revoked operator 1.\n")
    code, output = await run_command(tmp_path, "credentials", "revoke", "operator", "1")
    assert (code, "revoked already" in output) == (1, True)
    code, output = await run_command(tmp_path, "credentials", "reset-password", "1")
    assert (code, "revoked already" in output) == (1, True)
    code, output = await run_command(tmp_path, "audit", "list")
    assert (code, output.count("shell:"), "revoke" in output) == (0, 3, True)
    assert "add --brand REF" in output
    assert "there are more" not in output
    code, output = await run_command(tmp_path, "audit", "list", "--limit", "1")
    assert (output.count("shell:"), "Only the first 1 are shown; there are more." in output) == (1, True)


async def test_jobs_from_the_shell(tmp_path: Path) -> None:
    await make_migrated(tmp_path)
    assert (await run_command(tmp_path, "jobs", "list", "--failed"))[0] == 0
    code, output = await run_command(tmp_path, "jobs", "retry")
    assert (code, output) == (0, "Retrying 0 jobs.\n")
    code, output = await run_command(tmp_path, "jobs", "retry", "5")
    assert (code, "no failed job with this number" in output) == (1, True)


async def test_commands_at_once_without_a_service_take_turns(tmp_path: Path) -> None:
    await make_migrated(tmp_path)
    commands = [
        run_command(tmp_path, "credentials", "create", "--operator", f"operator-{number}") for number in range(4)
    ]
    responses = await asyncio.gather(*commands)
    assert [code for code, _ in responses] == [0, 0, 0, 0], responses


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["credentials", "create", "--operator", "a:b"], "no colon"),
        (["credentials", "create", "--brand", "1", "--reseller", "99"], "no reseller with this ref"),
        (["call", "GET", "/v2/templates?tag=[", "--credentials", "{}"], "credentials cannot be read"),
        (["catalogue", "export"], "sitewright migrate"),
    ],
)
async def test_command_line_mistakes_are_reported(tmp_path: Path, arguments: list[str], words: str) -> None:
    if arguments[0] == "credentials":
        await make_migrated(tmp_path)
    code, output = await run_command(tmp_path, *arguments)
    assert code in (1, 2)
    assert words in output
    assert "Traceback" not in output


@pytest.mark.parametrize("part", ["api", "edge", "worker"])
async def test_each_process_reports_a_lost_master_key_at_its_start(
    tmp_path: Path, other_database: dict[str, str], part: str
) -> None:
    ports = {"api_port": free_port(), "site_port": free_port()}
    settings = other_database | ports
    await run_command(tmp_path, "migrate", **settings)
    owner = await asyncpg.connect(other_database["owner_database_url"])
    await owner.execute("insert into brands (brand_ref, name) values (5, 'lost')")
    await owner.close()
    code, _ = await run_command(tmp_path, "credentials", "create", "--brand", "5", **settings)
    assert code == 0
    (tmp_path / "master.key").unlink()
    without_owner = {name: value for name, value in settings.items() if name != "owner_database_url"}
    log = tmp_path / "log"
    with log.open("wb") as output:
        async with started(tmp_path, part, output, **without_owner):
            await eventually(lambda: "the master key is not the one of this database" in log.read_text())
