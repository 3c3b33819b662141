"""`sitewright init`: an installation in a folder of its own, from questions or from a file, which then runs."""

import asyncio
import json
import os
import pwd
import stat
import sys
from pathlib import Path
from typing import Any

from sitewright.installation.layout import Layout
from sitewright.installation.writing import first_closed
from sitewright.settings import load
from tests.support.http_clients import http_client
from tests.support.service import COMMAND, PATIENT, free_port
from tests.support.systemd import ServiceUnit, running_units
from tests.support.timeouts import HANG_SECONDS

PROGRAM = Path(sys.executable).parent / "sitewright"
INPUTS = """
public_url = "https://service.example.com"
site_addresses = ["192.0.2.10", "2001:db8::10"]
brand_name = "Éxample: Hosting"
brand_domain = "example.com"
language = "de"
acme_contact = "certificates@example.com"
api_listen = "127.0.0.1:{}"
site_listen = "127.0.0.1:{}"
site_tls_listen = "127.0.0.1:{}"
"""
TYPED = {
    "Public address": ["service.example.com", "https://service.example.com"],
    "Public IP addresses": ["192.0.2.300", "192.0.2.10, 2001:db8::10"],
    "PostgreSQL": ["mysql://db", "postgresql://owner:secret@db.example.com/sitewright"],
    "One service": ["parts"],
    "Mail address for automatic": [""],
    "Mail server": ["mail.example.com"],
    "Port of the mail server": ["465"],
    "Its encryption": ["ssl", "tls"],
    "User name at the mail server": ["sitewright"],
    "Password": ["s3cret"],
    "Sender": ["nobody", "Example <no-reply@example.com>"],
    "Name of the first brand": ["Example"],
    "Domain of the first brand": ["Example", "example.com"],
    "Language": [""],
    "Currency": ["dollars", "USD"],
    "first operator": [""],
}
"""What an operator types, with mistakes, in the order of the questions."""


async def init(folder: Path, *options: str, typed: str = "") -> tuple[int, str]:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("SITEWRIGHT_")}
    process = await asyncio.create_subprocess_exec(
        *COMMAND,
        "init",
        f"--command={PROGRAM}",
        f"--config-dir={folder / 'etc'}",
        f"--state-dir={folder / 'state'}",
        f"--unit-dir={folder / 'units'}",
        f"--script={folder / 'bin' / 'sitewright'}",
        f"--user={pwd.getpwuid(os.geteuid()).pw_name}",
        *options,
        env=plain | {"COLUMNS": "200"},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await asyncio.wait_for(process.communicate(typed.encode()), HANG_SECONDS)
    return process.returncode or 0, output.decode()


async def test_an_installation_from_a_file_of_inputs_runs(tmp_path: Path) -> None:
    inputs = tmp_path / "inputs.toml"
    inputs.write_text(INPUTS.format(free_port(), free_port(), free_port()))
    code, output = await init(tmp_path, f"--inputs={inputs}")
    assert code == 0, output
    created = json.loads(output[output.index("{") : output.rindex("}") + 1])
    key = tmp_path / "etc" / "credentials" / "master_key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    before = key.read_text()
    patient = {f"SITEWRIGHT_{name.upper()}": str(value) for name, value in PATIENT.items()}
    service = ServiceUnit(tmp_path / "units", "sitewright.service", tmp_path, **patient, SITEWRIGHT_WORKERS="1")
    async with running_units([service]):
        async with http_client(f"http://127.0.0.1:{service.port('api_port')}") as client:
            assert (await client.get("/health/ready")).status_code == 200
            basic = (created["operator"]["username"], created["operator"]["password"])
            languages = await client.get("/brands/1/languages", auth=basic)
        assert [each["code"] for each in languages.json()["languages"]] == ["de"], languages.text
    assert not (tmp_path / "state" / "data" / "master.key").exists()
    code, output = await init(tmp_path, f"--inputs={inputs}")
    assert (code, "sitewright.toml exists" in output) == (1, True)
    (tmp_path / "etc" / "sitewright.toml").unlink()
    assert (await init(tmp_path, f"--inputs={inputs}", "--files-only"))[0] == 0
    assert key.read_text() == before


async def test_the_command_for_operators_ends_without_the_master_key(tmp_path: Path) -> None:
    """It would create another key otherwise, and the service another."""
    inputs = tmp_path / "inputs.toml"
    inputs.write_text(INPUTS.format(free_port(), free_port(), free_port()))
    assert (await init(tmp_path, f"--inputs={inputs}", "--files-only"))[0] == 0
    (tmp_path / "etc" / "credentials" / "master_key").unlink()
    plain = {name: value for name, value in os.environ.items() if not name.startswith("SITEWRIGHT_")}
    command = str(tmp_path / "bin" / "sitewright")
    process = await asyncio.create_subprocess_exec(command, "keys", "list", env=plain)
    assert await asyncio.wait_for(process.wait(), HANG_SECONDS) == 1
    assert not (tmp_path / "state").exists()


def test_a_program_in_a_closed_folder_is_found(tmp_path: Path) -> None:
    program = tmp_path / "closed" / "sitewright"
    program.parent.mkdir(mode=0o700)
    program.touch()
    own = pwd.getpwuid(os.geteuid()).pw_name
    closed = first_closed(Layout(command=program, user="somebody-else"))
    assert closed is not None and closed in program.parents
    assert first_closed(Layout(command=program, user=own)) is None


async def test_questions_are_asked_again_until_the_inputs_are_usable(tmp_path: Path) -> None:
    typed = "".join(f"{line}\n" for lines in TYPED.values() for line in lines)
    code, output = await init(tmp_path, "--files-only", typed=typed)
    assert code == 0, output
    for problem in (
        "public_url is not a valid address",
        "is not an IPv4",
        "Write it like postgresql",
        "a domain in",
        "'dollars'",
    ):
        assert problem in output, problem
    settings = (tmp_path / "etc" / "sitewright.toml").read_text()
    assert "secret" not in settings
    assert settings.startswith("# What differs from the defaults, which `sitewright settings` prints and explains.\n")
    loaded = load(_credentials(tmp_path), tmp_path / "etc" / "sitewright.toml")
    assert loaded.database_url == "postgresql://owner:secret@db.example.com/sitewright"
    assert (loaded.smtp_host, loaded.smtp_password, loaded.smtp_port) == ("mail.example.com", "s3cret", 465)
    assert loaded.trusted_proxies == ["127.0.0.1"]
    units = {each.name: each.read_text() for each in (tmp_path / "units").glob("*.service")}
    assert set(units) == {f"sitewright-{part}.service" for part in ("api", "edge", "worker")}
    for text in units.values():
        assert text.count("LoadCredential=") == 3, text
    assert 'name: "Example"' in (tmp_path / "etc" / "catalogue.yaml").read_text()


def _credentials(folder: Path) -> dict[str, Any]:
    return {"CREDENTIALS_DIRECTORY": str(folder / "etc" / "credentials")}


async def test_mistakes_in_the_file_are_named_and_nothing_is_written(tmp_path: Path) -> None:
    inputs = tmp_path / "inputs.toml"
    for text, words in (
        ('public_url = "ftp://x"', "public_url is not a valid address"),
        ('public_url = "https://service.example.com"', "brand_name"),
        ("public_url = ", "inputs.toml"),
        ("site_listen = 80", 'site_listen: Write it in quotes, like site_listen = "..."'),
        ('site_listen = "99999"', "site_listen: Write a port from 1 to 65535"),
        ("brand_domain = 5", "brand_domain: Write it in quotes"),
        ("site_addresses = [5]", "site_addresses: Expected `str`, got `int`"),
    ):
        inputs.write_text(text)
        code, output = await init(tmp_path, f"--inputs={inputs}")
        assert (code, words in output, "Traceback" in output) == (1, True, False), output
    assert not (tmp_path / "etc").exists()
