"""Which third-party modules and names the service's source imports, and what pyproject.toml and the lock declare."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import msgspec
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "sitewright"


class Import(msgspec.Struct, frozen=True, order=True):
    module: str
    name: str
    """Empty for `import module`."""
    file: str

    @property
    def package(self) -> str:
        return self.module.partition(".")[0]


@cache
def third_party_imports() -> list[Import]:
    found = (each for file in sorted(SOURCE.rglob("*.py")) for each in _imports_of(file))
    return sorted({each for each in found if each.package not in sys.stdlib_module_names | {"sitewright"}})


def _imports_of(file: Path) -> Iterator[Import]:
    where = file.relative_to(SOURCE).as_posix()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, "", where) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (Import(node.module, alias.name, where) for alias in node.names)


def declared() -> dict[str, Requirement]:
    """Dependencies and extras of pyproject.toml, by their normalized names."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [each for extra in project["optional-dependencies"].values() for each in extra]
    requirements = [Requirement(each) for each in project["dependencies"] + extras]
    return {canonicalize_name(each.name): each for each in requirements}


def locked(file: str = "runtime.txt") -> dict[str, Version]:
    lines = (ROOT / "requirements" / file).read_text()
    return {name: Version(version) for name, version in re.findall(r"^([a-z0-9-]+)==(\S+)", lines, re.MULTILINE)}
