"""The modules of billing panels stay small, and need nothing but PHP."""

import re

import pytest

from tests.clients.panels.php import ROOT

MODULES = ["whmcs", "fossbilling"]


@pytest.mark.parametrize("module", MODULES)
def test_a_module_has_at_most_400_lines(module: str) -> None:
    files = sorted((ROOT / "integrations" / module).rglob("*.php"))
    assert files and sum(file.read_text().count("\n") for file in files) <= 400


@pytest.mark.parametrize("module", MODULES)
def test_a_module_uses_no_package(module: str) -> None:
    texts = [file.read_text() for file in (ROOT / "integrations" / module).rglob("*.php")]
    assert not [text for text in texts if re.search(r"vendor/|mb_\w+\(", text)]
    assert not list((ROOT / "integrations" / module).rglob("composer.json"))
