"""The wheel: what it contains, what its metadata says, and how large it is."""

import re
import subprocess
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from zipfile import ZipFile

import pytest

from sitewright import __version__
from tests.support.third_party import ROOT
from tests.support.wheels import build_wheel

LARGEST_BYTES = 10_000_000
SUPPORTED_PYTHONS = {"3.11", "3.12", "3.13", "3.14"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def metadata(wheel: Path) -> Message:
    with ZipFile(wheel) as archive:
        return message_from_bytes(archive.read(f"sitewright-{__version__}.dist-info/METADATA"))


def contents(wheel: Path) -> set[str]:
    with ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_it_contains_every_file_of_the_package(wheel: Path) -> None:
    command = ["git", "ls-files", "src/sitewright"]
    listed = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    assert {name.removeprefix("src/") for name in listed} - contents(wheel) == set()


def test_it_contains_the_browser_code_that_is_built(wheel: Path) -> None:
    built = ROOT / "src/sitewright/kit/ui/built"
    files = {path.relative_to(ROOT / "src").as_posix() for path in built.rglob("*") if path.is_file()}
    assert files - contents(wheel) == set()


def test_it_contains_the_default_settings_themselves(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        assert archive.read("sitewright/sitewright.default.toml") == (ROOT / "sitewright.default.toml").read_bytes()


def test_it_is_small(wheel: Path) -> None:
    assert wheel.stat().st_size <= LARGEST_BYTES


def test_the_metadata_is_complete(metadata: Message) -> None:
    links = {each.partition(",")[0] for each in metadata.get_all("Project-URL", [])}
    assert links == {"Homepage", "Documentation", "Source", "Issues", "Changelog"}
    pythons = re.findall(r"Python :: (3\.\d+)", "\n".join(metadata.get_all("Classifier", [])))
    assert set(pythons) == SUPPORTED_PYTHONS
    for name in ("Summary", "Author", "Keywords", "License-Expression", "License-File", "Requires-Python"):
        assert metadata[name], name


def test_the_description_has_no_pictures_and_no_links_into_the_repository(metadata: Message) -> None:
    description = str(metadata.get_payload())
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert 'pip install "sitewright[embedded]"' in description
    assert re.findall(r"!\[|\]\((?!https://)|<img", description) == []
