"""`sitewright doctor` says in plain words what is wrong and how to fix it."""

import contextlib
import socket
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import httpx
import pytest

from sitewright.cli import checkup
from sitewright.cli.checkup import check_space
from sitewright.kit.embedded import EmbeddedPostgres
from sitewright.settings import Settings
from tests.support.data_folders import make_cluster
from tests.support.eventually import eventually
from tests.support.forked import fork_command
from tests.support.http_clients import http_client
from tests.support.service import environment, free_port, make_migrated, run_command


@pytest.fixture
def ports() -> dict[str, object]:
    return {"api_port": free_port(), "site_port": free_port()}


async def test_nothing_is_wrong(tmp_path: Path, ports: dict[str, object]) -> None:
    await make_migrated(tmp_path)
    code, output = await run_command(tmp_path, "doctor", **ports)
    assert (code, {line.split()[0] for line in output.splitlines()}) == (0, {"ok"})


async def test_a_pending_migration(tmp_path: Path, ports: dict[str, object]) -> None:
    await make_cluster(tmp_path)
    code, output = await run_command(tmp_path, "doctor", **ports)
    assert (code, "Run: sitewright migrate" in output) == (1, True)


async def test_an_unreachable_database(tmp_path: Path, ports: dict[str, object]) -> None:
    url = f"postgresql://nobody@127.0.0.1:{free_port()}/nothing"
    code, output = await run_command(tmp_path, "doctor", database_url=url, **ports)
    assert (code, "Check that PostgreSQL runs and that SITEWRIGHT_DATABASE_URL is right" in output) == (1, True)


async def test_a_log_in_that_may_not_act_as_the_service(
    tmp_path: Path, ports: dict[str, object], database_url: str
) -> None:
    owner = await asyncpg.connect(database_url)
    await owner.execute("create role outsider login password 'outsider'")
    parts = urlsplit(database_url)
    outsider = urlunsplit(
        parts._replace(netloc=parts.netloc.replace(parts.netloc.rpartition("@")[0], "outsider:outsider"))
    )
    try:
        code, output = await run_command(
            tmp_path, "doctor", database_url=outsider, owner_database_url=database_url, **ports
        )
    finally:
        await owner.execute("drop role outsider")
        await owner.close()
    assert code == 1
    assert "permission denied to set role" in output
    assert "grant sitewright_service to" in output


async def test_a_port_in_use(tmp_path: Path, ports: dict[str, object]) -> None:
    await make_cluster(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        code, output = await run_command(tmp_path, "doctor", **ports | {"api_port": taken})
    assert code == 1
    assert "Set SITEWRIGHT_API_PORT to another port, or end the program that uses this one." in output


async def test_the_port_of_another_installation_is_not_its_own(tmp_path: Path) -> None:
    """The API alone, which runs without a database of its own."""
    settings = {"api_port": free_port(), "site_port": free_port(), "database_url": "postgresql://127.0.0.1:1/none"}
    process = await fork_command("api", env=environment(tmp_path / "one", **settings))
    try:
        await eventually(lambda: answers(settings["api_port"]))
        _, own = await run_command(tmp_path / "one", "doctor", **settings)
        _, other = await run_command(tmp_path / "two", "doctor", **settings)
    finally:
        process.terminate()
        await process.wait()
    assert "this installation is running there" in own
    assert "this installation is running there" not in other
    assert "Another installation of Sitewright" in other
    assert "Set SITEWRIGHT_API_PORT to another port, or end that installation." in other


async def answers(port: object) -> bool:
    async with http_client() as client:
        with contextlib.suppress(httpx.HTTPError):
            return (await client.get(f"http://127.0.0.1:{port}/health/live")).status_code == 200
    return False


async def test_a_folder_that_cannot_be_written(tmp_path: Path, ports: dict[str, object]) -> None:
    blocked = tmp_path / "a file, not a folder"
    blocked.touch()
    code, output = await run_command(blocked / "var", "doctor", **ports)
    assert (code, "set SITEWRIGHT_DATA_DIR to another" in output) == (1, True)


async def test_an_open_key_file(tmp_path: Path, ports: dict[str, object]) -> None:
    await make_migrated(tmp_path)
    await run_command(tmp_path, "doctor", **ports)
    (tmp_path / "master.key").chmod(0o644)
    code, output = await run_command(tmp_path, "doctor", **ports)
    assert (code, f"chmod 600 {tmp_path}/master.key" in output) == (1, True)


def test_a_disk_that_is_almost_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(data_dir=str(tmp_path))
    assert check_space(settings).ok
    monkeypatch.setattr(checkup, "LEAST_FREE_MIB", 2**40)
    assert not check_space(settings).ok


async def test_a_lost_master_key(tmp_path: Path, ports: dict[str, object]) -> None:
    """The secrets in the database were encrypted with a key that is missing."""
    await make_migrated(tmp_path)
    await _insert_brand(tmp_path, 5)
    code, _ = await run_command(tmp_path, "credentials", "create", "--brand", "5", **ports)
    assert code == 0
    (tmp_path / "master.key").unlink()
    code, output = await run_command(tmp_path, "doctor", **ports)
    assert (code, "Bring the key back" in output, "sitewright keys renew" in output) == (1, True, True)


async def _insert_brand(data_dir: Path, brand_ref: int) -> None:
    server = EmbeddedPostgres(data_dir)
    server.start()
    try:
        owner = await asyncpg.connect(server.url)
        await owner.execute("insert into brands (brand_ref, name) values ($1, 'lost')", brand_ref)
        await owner.close()
    finally:
        server.stop()


async def test_a_setting_that_is_no_number(tmp_path: Path) -> None:
    code, output = await run_command(tmp_path, "doctor", api_port="eighty")
    assert (code, "api_port" in output) == (1, True)
