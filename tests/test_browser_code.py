"""The browser code: locked without registry addresses, and built from this repository alone."""

import json
import re

from tests.support.third_party import ROOT

LOCK = json.loads((ROOT / "package-lock.json").read_text())


def test_the_lock_has_hashes_and_no_registry_addresses() -> None:
    packages = {name: each for name, each in LOCK["packages"].items() if name}
    assert packages
    assert all(each["integrity"].startswith("sha512-") for each in packages.values())
    assert not any("resolved" in each for each in packages.values())


def test_every_package_is_pinned_and_locked() -> None:
    declared = json.loads((ROOT / "package.json").read_text())
    wanted = declared.get("dependencies", {}) | declared["devDependencies"]
    assert all(re.fullmatch(r"[0-9]+\.[0-9]+\.[0-9]+", version) for version in wanted.values())
    locked = {name: LOCK["packages"][f"node_modules/{name}"]["version"] for name in wanted}
    assert locked == wanted


def test_every_package_has_a_reason() -> None:
    reasons = (ROOT / "docs/decisions/0002-parts.md").read_text()
    declared = json.loads((ROOT / "package.json").read_text())
    names = declared.get("dependencies", {}) | declared["devDependencies"]
    assert [name for name in names if f"| {name} |" not in reasons] == []


def test_entry_points_and_layouts_have_names_of_their_own() -> None:
    """They are all served from one folder."""
    for extension in ("ts", "css"):
        names = [path.name for path in (ROOT / "src").glob(f"sitewright/**/web/*.{extension}")]
        assert sorted(set(names)) == sorted(names)
