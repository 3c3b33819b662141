"""The API release and the software version are two numbers with two names, in everything that users read."""

from pathlib import Path

import httpx

from sitewright import __version__
from sitewright.kit.versions import NEWEST, NotInThisVersion, UnknownVersion
from tests.support.service import run_command


async def test_the_reference_names_both(anonymous: httpx.AsyncClient) -> None:
    info = (await anonymous.get("/openapi.json")).json()["info"]
    assert (info["version"], info["x-software-version"]) == (f"7.{NEWEST}", __version__)
    assert f"API release 7.{NEWEST}" in info["description"]
    page = (await anonymous.get("/docs")).text
    assert f"API release 7.{NEWEST}, software version {__version__}" in page


async def test_the_command_names_both(tmp_path: Path) -> None:
    for written in ("--version", "version"):
        code, output = await run_command(tmp_path, written)
        expected = f"Sitewright software version {__version__}, API releases 7.1 to 7.{NEWEST}"
        assert (code, output.strip()) == (0, expected)


def test_problems_speak_of_api_releases() -> None:
    for problem in (UnknownVersion, NotInThisVersion):
        assert "API release" in problem.title
        assert "API release" in problem.detail
