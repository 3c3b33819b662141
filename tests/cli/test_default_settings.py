"""`sitewright settings` prints the settings file that is part of the package."""

import tomllib

import msgspec
import pytest

from sitewright.cli.default_settings import settings
from sitewright.settings import Settings, SettingsError, load


def test_it_prints_every_default(capsys: pytest.CaptureFixture[str]) -> None:
    settings()
    printed = capsys.readouterr().out
    assert tomllib.loads(printed) == msgspec.to_builtins(Settings())
    assert printed.startswith("# Every setting")


def test_an_invalid_setting_names_the_command() -> None:
    with pytest.raises(SettingsError, match=r"api_port is invalid: .* See: sitewright settings"):
        load({"SITEWRIGHT_API_PORT": "eighty"})
