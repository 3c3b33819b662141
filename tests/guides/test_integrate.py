"""Runs every shell and Python block of the integrators' guides, in order and unchanged, against the real service."""

import asyncio
import re
import sys
import tomllib
from pathlib import Path

import msgspec
import pytest

from sitewright.web.reference.clients import READ_AS
from tests.support.guides import ROOT, Block, blocks
from tests.support.service import Service, environment, running_service
from tests.support.timeouts import HANG_SECONDS

INTEGRATE = ROOT / "docs" / "integrate.md"
OPERATIONS = ROOT / "clients" / "python" / "src" / "sitewright_client" / "operations.py"
COMING = ROOT / "docs" / "integrate" / "coming-from-another-system.md"
PRINTS = {
    INTEGRATE: ["live sites: ", "live: False", "erased domains: 1"],
    COMING: [
        '"invalidLastName"',
        '"code":"siteNotFound"',
        '"instance":"step-5"',
        '"languageCode":"en"',
        '[{""name"": ""crm"", ""value"": ""17""}, {""name"": ""plan"", ""value"": ""gold""}]',
        '[{""name"": ""crm"", ""value"": ""4711""}]',
        '"seoTitle":"When we are open"',
        '"versionRef":',
        '"domainName":"demo-2.northwind.example"',
        '"redirectToPrimary":true',
        '"flowUrl":"http://',
        '"resellerRef":null',
        '"domainSuffix"',
        '{"packages":[]}',
        '"corner-shop"',
        '"code":"globalValueNotFound"',
        '"code":"crossSiteRequest"',
        "consistentTypes: False -> True",
        "upsertGlobalValues: False -> True",
        "\n1 change.\n",
        '{"count":3,',
        '"name":"no-such-value"',
    ],
}
"""The guides whose blocks are run, and some of what these print."""
START = "make serve\n"
OWN_VARIABLES = {"NO_PROXY": "*", "COLUMNS": "200", "PYTHONPATH": str(ROOT / "clients" / "python" / "src")}
"""Where the guides install the client, the tests use its source."""


def here(code: str, service: Service) -> str:
    """The code with the addresses and the data folder of the test's own service."""
    site_address = service.site_url.removeprefix("http://")
    api_address = service.api_url.removeprefix("http://")
    moved = code.replace("127.0.0.1:8081", site_address).replace("127.0.0.1:8080", api_address)
    return moved.replace(".venv/bin/", f"{Path(sys.executable).parent}/").replace('"var/', f'"{service.data_dir}/')


def script(found: list[Block], service: Service) -> str:
    """One Python program of all blocks: Python unchanged, shell through bash."""
    parts = ["import subprocess\n"]
    for block in found:
        code = here(block.code, service)
        parts.append(f"print('line {block.line}:', flush=True)\n")
        parts.append(
            code if block.language == "python" else f"subprocess.run(['bash', '-euc', {code!r}], check=True)\n"
        )
    return "\n".join(parts)


async def run(program: str, service: Service) -> tuple[int, str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-",
        cwd=service.data_dir,
        env=environment(service.data_dir, **service.settings) | OWN_VARIABLES,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await asyncio.wait_for(process.communicate(program.encode()), HANG_SECONDS)
    return process.returncode or 0, output.decode()


@pytest.mark.parametrize("guide", PRINTS, ids=lambda guide: guide.stem)
async def test_every_block_of_a_guide_works(guide: Path, tmp_path: Path) -> None:
    found = [block for block in blocks(guide) if block.language in ("sh", "python")]
    assert found[0].code == START  # `running_service` does this
    async with running_service(tmp_path / "var") as service:
        code, output = await run(script(found[1:], service), service)
    assert code == 0, output
    for expected in PRINTS[guide]:
        assert expected in output


@pytest.mark.parametrize(
    "block",
    [pytest.param(block, id=f"{guide.stem}, line {block.line}") for guide in PRINTS for block in blocks(guide)],
)
def test_no_block_is_left_out(block: Block) -> None:
    """A guide contains only blocks that are run, and data."""
    assert block.language in {"sh", "python", "json", "yaml", "http", "toml"}
    if block.language == "json":
        msgspec.json.decode(block.code)
    if block.language == "toml":
        known = tomllib.loads((ROOT / "sitewright.default.toml").read_text())
        assert tomllib.loads(block.code).keys() <= known.keys()


def test_the_reference_reads_what_clients_send_as_the_guide_does() -> None:
    _, _, rest = COMING.read_text().partition("| Clients send | It is read as |\n|---|---|\n")
    table, _, _ = rest.partition("\n\n")
    assert tuple(re.findall(r"^\| (.+?) \| (.+) \|$", table, re.MULTILINE)) == READ_AS


def test_the_table_of_endpoints_has_every_call() -> None:
    """The client has one function for each call of the API."""
    table = INTEGRATE.read_text().partition("\n## Endpoints\n")[2]
    listed = {
        (method, re.sub(r":\w+", ":", path.partition("?")[0]))
        for methods, paths in re.findall(r"^\| ([A-Z, ]+) \| (.+?) \| ", table, re.MULTILINE)
        for method in methods.split(", ")
        for path in re.findall(r"`([^`]+)`", paths)
    }
    calls = re.findall(r'Operation\(\s*method="(\w+)",\s*path=f?"([^"]+)"', OPERATIONS.read_text())
    assert {(method, re.sub(r"\{.+?\}", ":", path)) for method, path in calls} - listed == set()
