"""Secrets in separate files and credentials of systemd, which take precedence over the settings file."""

from pathlib import Path

import pytest

from sitewright.settings import SECRETS, Settings, SettingsError, load
from tests.kit.settings_files import empty_folder, written

__all__ = ["empty_folder"]
pytestmark = pytest.mark.usefixtures("empty_folder")


@pytest.mark.parametrize("name", sorted(SECRETS))
def test_a_secret_may_be_in_a_separate_file(name: str) -> None:
    path = written("  s3cret=\n", "secret")

    assert getattr(load({f"SITEWRIGHT_{name.upper()}_FILE": str(path)}), name) == "s3cret="


def test_a_secret_file_wins_over_the_settings_file() -> None:
    path = written("from its file", "secret")

    loaded = load({"SITEWRIGHT_MASTER_KEY_FILE": str(path)}, written('master_key = "from the settings"'))

    assert loaded.master_key == "from its file"


def test_a_secret_in_the_environment_wins_over_its_file() -> None:
    environment = {
        "SITEWRIGHT_MASTER_KEY": "from the environment",
        "SITEWRIGHT_MASTER_KEY_FILE": str(written("from its file", "secret")),
    }

    assert load(environment).master_key == "from the environment"


def test_a_secret_file_is_read_also_when_the_variable_of_the_secret_is_empty() -> None:
    environment = {
        "SITEWRIGHT_MASTER_KEY": "",
        "SITEWRIGHT_MASTER_KEY_FILE": str(written("from its file", "secret")),
    }

    assert load(environment).master_key == "from its file"


def test_an_empty_variable_for_a_secret_file_means_not_set() -> None:
    assert load({"SITEWRIGHT_MASTER_KEY_FILE": ""}) == Settings()


def test_other_settings_are_not_read_from_a_file() -> None:
    path = written("9000", "port")

    assert load({"SITEWRIGHT_API_PORT_FILE": str(path)}) == Settings()


def test_a_missing_secret_file_is_reported() -> None:
    with pytest.raises(SettingsError, match=r"SITEWRIGHT_MASTER_KEY_FILE names missing/secret.*No such file"):
        load({"SITEWRIGHT_MASTER_KEY_FILE": "missing/secret"})


def test_a_secret_file_that_is_a_folder_is_reported() -> None:
    with pytest.raises(SettingsError, match=r"SITEWRIGHT_DATABASE_URL_FILE names \."):
        load({"SITEWRIGHT_DATABASE_URL_FILE": "."})


def test_a_secret_file_that_is_not_text_is_reported() -> None:
    Path("secret").write_bytes(b"\xff\xfe\x00")

    with pytest.raises(SettingsError, match="SITEWRIGHT_MASTER_KEY_FILE names secret"):
        load({"SITEWRIGHT_MASTER_KEY_FILE": "secret"})


@pytest.mark.parametrize("name", sorted(SECRETS))
def test_a_secret_may_be_a_credential_of_systemd(name: str) -> None:
    folder = written("s3cret=\n", name).absolute().parent

    assert getattr(load({"CREDENTIALS_DIRECTORY": str(folder)}), name) == "s3cret="


def test_a_secret_file_wins_over_a_credential() -> None:
    folder = written("from systemd", "master_key").absolute().parent
    environment = {"SITEWRIGHT_MASTER_KEY_FILE": str(written("from its file", "secret"))}

    assert load(environment | {"CREDENTIALS_DIRECTORY": str(folder)}).master_key == "from its file"


def test_other_credentials_are_not_settings() -> None:
    folder = written("9000", "api_port").absolute().parent

    assert load({"CREDENTIALS_DIRECTORY": str(folder)}) == Settings()
