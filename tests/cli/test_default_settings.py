"""`sitewright settings` prints the settings file that is part of the package."""

import tomllib

import msgspec
import pytest

from sitewright.cli.default_settings import settings
from sitewright.settings import Settings


def test_it_prints_every_default(capsys: pytest.CaptureFixture[str]) -> None:
    settings()
    printed = capsys.readouterr().out
    assert tomllib.loads(printed) == msgspec.to_builtins(Settings())
    assert printed.startswith("# Every setting")
