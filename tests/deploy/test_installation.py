"""The wheel and the container image are installed with their dependencies, and the service runs from them."""

import asyncio
import re
import subprocess
import sys
import venv
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from tests.support.containers import Container, Image, may_mount
from tests.support.debian_postgres import debian_postgres
from tests.support.eventually import eventually
from tests.support.http_clients import http_client
from tests.support.service import environment, free_port
from tests.support.third_party import ROOT
from tests.support.timeouts import HANG_SECONDS
from tests.support.wheels import build_wheel

pytestmark = pytest.mark.system
README_COMMANDS = re.compile(r"### Without this repository.*?```sh\n(.*?)```", re.DOTALL)
LANGUAGES = ("call", "GET", "/brands/1/languages")
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "deploy/container/compose.yaml").read_text())
NEEDS_MOUNTS = "needs the right to mount, which a container without privileges does not have"


@pytest.fixture(scope="module")
def wheelhouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The locked dependencies as files, from the index that is configured on this machine."""
    folder = tmp_path_factory.mktemp("wheelhouse")
    options = ["--quiet", "--disable-pip-version-check", "--require-hashes", "--only-binary=:all:"]
    lock = ROOT / "requirements/runtime.txt"
    subprocess.run([sys.executable, "-m", "pip", "download", *options, "-r", lock, "-d", folder], check=True)
    return folder


@pytest.fixture(scope="module")
def wheel(wheelhouse: Path) -> Path:
    return build_wheel(wheelhouse)


@pytest.fixture(scope="module")
def image(wheel: Path, wheelhouse: Path, tmp_path_factory: pytest.TempPathFactory) -> Image:
    if not may_mount():
        pytest.skip(NEEDS_MOUNTS)
    image = Image(tmp_path_factory.mktemp("image"))
    image.build(wheel, wheelhouse)
    return image


def ports() -> dict[str, str]:
    return {f"SITEWRIGHT_{name}": str(free_port()) for name in ("API_PORT", "SITE_PORT", "SITE_TLS_PORT")}


async def until_ready(settings: dict[str, str], is_running: Any, log: Any) -> None:
    async def is_ready() -> bool:
        assert is_running(), log()[-3000:]
        try:
            return (await client.get("/health/ready")).status_code == 200
        except httpx.HTTPError:
            return False

    async with http_client(f"http://127.0.0.1:{settings['SITEWRIGHT_API_PORT']}") as client:
        await eventually(is_ready)


async def check_pages(settings: dict[str, str]) -> None:
    """Templates, texts and the built scripts of pages are there."""
    async with http_client(f"http://127.0.0.1:{settings['SITEWRIGHT_API_PORT']}") as client:
        page = await client.get("/console/log-in")
        assert page.status_code == 200
        scripts = re.findall(r'<script[^>]+src="([^"]+)"', page.text)
        assert scripts
        assert [(await client.get(script)).status_code for script in scripts] == [200] * len(scripts)


# --- The wheel ---------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("wheel")
async def test_two_commands_of_the_readme_start_the_demo_in_an_empty_folder(tmp_path: Path, wheelhouse: Path) -> None:
    found = README_COMMANDS.search((ROOT / "README.md").read_text())
    assert found is not None
    install, serve = found[1].strip().splitlines()
    venv.create(tmp_path / "venv", with_pip=True)
    folder = tmp_path / "empty"
    folder.mkdir()
    settings = ports()
    own = environment(folder / "var") | settings
    del own["SITEWRIGHT_DATA_DIR"]
    own |= {"PATH": f"{tmp_path / 'venv/bin'}:{own['PATH']}", "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheelhouse)}
    shell = await asyncio.create_subprocess_shell(install, cwd=folder, env=own | {"PIP_NO_COMPILE": "1"})
    assert await asyncio.wait_for(shell.wait(), HANG_SECONDS) == 0
    log = tmp_path / "serve.log"
    with log.open("wb") as output:
        process = await asyncio.create_subprocess_shell(
            f"exec {serve}", cwd=folder, env=own, stdout=output, stderr=output
        )
    try:
        await until_ready(settings, lambda: process.returncode is None, log.read_text)
        call = await asyncio.create_subprocess_exec(
            tmp_path / "venv/bin/sitewright", *LANGUAGES, cwd=folder, env=own, stdout=asyncio.subprocess.PIPE
        )
        assert b"English" in (await call.communicate())[0]
        await check_pages(settings)
        assert {path.name for path in folder.iterdir()} == {"var"}
    finally:
        process.terminate()
        assert await asyncio.wait_for(process.wait(), HANG_SECONDS) == 0


# --- The container -----------------------------------------------------------------------------------------------


def test_the_image_is_configured_for_engines(image: Image) -> None:
    config = image.config
    assert config["User"] == "10001:10001"
    assert list(config["Volumes"]) == ["/var/lib/sitewright"]
    assert (config["Entrypoint"], config["Cmd"], config["StopSignal"]) == (["sitewright"], ["serve"], "SIGTERM")
    assert config["Healthcheck"]["Test"][-1] == "api"


def test_the_image_has_no_tools_to_build_or_install(image: Image) -> None:
    programs = {
        path.name for folder in image.environment["PATH"].split(":") for path in (image.root / folder[1:]).glob("*")
    }
    assert "sitewright" in programs
    assert programs & {"cc", "gcc", "g++", "make", "ld", "pip", "pip3", "node", "npm", "git"} == set()


async def test_the_demo_runs_in_the_image(image: Image, tmp_path: Path) -> None:
    settings = ports() | {"SITEWRIGHT_HOST": "127.0.0.1", "SITEWRIGHT_DEMO_HISTORY": "0"}
    async with running(image, tmp_path / "volume", ["serve", "--demo"], settings) as container:
        await until_ready(settings, lambda: container.is_running, lambda: container.output)
        await check_pages(settings)
        called = await image.run(tmp_path / "volume", ["sitewright", *LANGUAGES], **settings)
        assert "English" in called[1]
        assert await image.run(tmp_path / "volume", image.config["Healthcheck"]["Test"][1:], **settings) == (0, "")
        assert await container.stop() == 0
    code, output = await image.run(tmp_path / "volume", image.config["Healthcheck"]["Test"][1:], **settings)
    assert code == 1
    assert "no response" in output


async def test_the_parts_of_the_compose_file_run_in_the_image(image: Image, tmp_path: Path) -> None:
    """Each with its own command, settings and volume, on a PostgreSQL of Debian; an engine was not obtainable."""
    settings = ports() | {"SITEWRIGHT_HOST": "127.0.0.1"}
    secrets = tmp_path / "secrets"
    secrets.mkdir()
    (secrets / "master_key").write_text("c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0MTI=")
    async with debian_postgres() as url:
        (secrets / "database_url").write_text(url)
        migrating = await _start(image, "migrate", tmp_path, settings)
        assert await migrating.wait() == 0, migrating.output
        parts = {name: await _start(image, name, tmp_path, settings) for name in ("api", "edge", "worker")}
        try:
            await until_ready(settings, lambda: parts["api"].is_running, lambda: parts["api"].output)
            test = COMPOSE["services"]["edge"]["healthcheck"]["test"][1:]

            async def edge_is_healthy() -> bool:
                return await image.run(tmp_path / "checks", test, **settings) == (0, "")

            await eventually(edge_is_healthy)
            await eventually(lambda: '"part":"worker"' in parts["worker"].output.replace(" ", ""))
            ended = {name: await part.stop() for name, part in parts.items()}
            assert ended == dict.fromkeys(parts, 0), [part.output[-1000:] for part in parts.values()]
        finally:
            for part in parts.values():
                await part.kill()


async def _start(image: Image, name: str, folder: Path, settings: dict[str, str]) -> Container:
    service = COMPOSE["services"][name]
    chosen = service["environment"] | settings
    return await image.start(folder / name, service["command"], secrets=folder / "secrets", environment=chosen)


@asynccontextmanager
async def running(image: Image, volume: Path, command: list[str], settings: dict[str, str]) -> AsyncIterator[Container]:
    container = await image.start(volume, command, environment=settings)
    try:
        yield container
    finally:
        await container.kill()
