"""docs/private-apis.md lists every private API of other projects that the source imports, with the guarding tests."""

import re

import pytest

from tests.support.third_party import ROOT, Import, third_party_imports

TABLE = [line for line in (ROOT / "docs" / "private-apis.md").read_text().splitlines() if line.startswith("| ")][1:]
PUBLIC_MODULES = re.compile(
    r"aiohttp\.abc|argon2\.exceptions|babel\.(core|dates|numbers)|dns(\.\w+)+|cryptography\.(exceptions|hazmat|x509)(\..+)?"
    r"|jinja2\.(sandbox|utils)|msgspec\.yaml|oauthlib\.oauth1(\.rfc5849)?|pgqueuer\.(db|executors|models|queries|types)"
    r"|prometheus_client\.multiprocess|rich\.\w+"
)
"""Documented by their projects; every other submodule must be listed."""
PRIVATE_NAMES = {"prometheus_client.values"}
"""Not documented, although they can be imported from a public module."""


def listed() -> set[str]:
    return {name for row in TABLE for name in re.findall(r"`([\w.]+)`", row.split(" | ")[1])}


def is_private(each: Import) -> bool:
    parts = f"{each.module}.{each.name}".rstrip(".").split(".")
    is_unlisted_module = "." in each.module and not PUBLIC_MODULES.fullmatch(each.module)
    return is_unlisted_module or any(part.startswith("_") for part in parts) or ".".join(parts) in PRIVATE_NAMES


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.split(" | ")[1].split("`")[1])
def test_the_files_and_tests_named_in_the_list_exist(row: str) -> None:
    *_, used_in, guards = row.rstrip("| ").split(" | ")
    tests = re.findall(r"`(tests/[\w/]+\.py)`", guards)
    files = re.findall(r"`([\w/]+\.py)`", used_in)
    assert tests
    assert files
    assert [name for name in tests if "def test_" not in (ROOT / name).read_text()] == []
    assert [name for name in files if not (ROOT / "src" / "sitewright" / name).is_file()] == []


def test_every_private_import_is_listed() -> None:
    private = [each for each in third_party_imports() if is_private(each)]
    assert {"uvicorn", "prometheus_client"} <= {each.package for each in private}, "imports are no longer found"
    names = listed()
    assert [each for each in private if not {each.module, f"{each.module}.{each.name}"} & names] == []


def test_the_list_names_nothing_that_is_no_longer_imported() -> None:
    imports = third_party_imports()
    in_use = {each.module for each in imports} | {f"{each.module}.{each.name}" for each in imports} | {"uvicorn.Server"}
    unknown = {name for name in listed() if "." in name} - in_use
    assert unknown == set()
