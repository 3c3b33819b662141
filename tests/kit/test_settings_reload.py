"""Which settings a reload applies, and which it reports as waiting for a restart."""

import logging
from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec
import pytest

from sitewright.settings import Settings, SettingsError
from sitewright.settings_reload import NEED_RESTART, CurrentSettings

EMBEDDED = "postgresql:///embedded"


def current(loaded: Callable[[], Settings], **settings: Any) -> CurrentSettings:
    now = Settings(**settings)
    return CurrentSettings(now, now.database_url or EMBEDDED, loaded)


def test_settings_of_the_supervisor_wait_for_a_restart() -> None:
    new = Settings(host="0.0.0.0", workers=7, hsts_seconds=5, data_dir="elsewhere")  # noqa: S104
    reloaded = current(lambda: new)
    assert reloaded.load()
    assert reloaded.settings == Settings(hsts_seconds=5)
    assert set(msgspec.structs.asdict(new)) >= NEED_RESTART


def test_a_configured_database_can_be_replaced_but_not_the_embedded_one() -> None:
    url, other = "postgresql://a@db/one", "postgresql://a:new@db/one"
    moved = current(lambda: Settings(database_url=other), database_url=url)
    assert (moved.load(), moved.settings.database_url, moved.database_url) == (True, other, other)
    for before, after in (("", url), (url, "")):
        kept = current(partial(Settings, database_url=after), database_url=before)
        assert (kept.load(), kept.settings.database_url, kept.database_url) == (True, before, before or EMBEDDED)


def test_invalid_settings_are_reported_and_values_are_never_logged(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> Settings:
        raise SettingsError("hsts_seconds is invalid")

    broken = current(fail, hsts_seconds=9)
    with caplog.at_level(logging.INFO):
        assert not broken.load()
        assert current(lambda: Settings(smtp_password="hidden")).load()
    assert broken.settings.hsts_seconds == 9
    assert "hsts_seconds is invalid" in caplog.text and "hidden" not in caplog.text


def test_a_reload_can_be_taken_back() -> None:
    reloaded = current(lambda: Settings(hsts_seconds=5), hsts_seconds=9)
    reloaded.load()
    reloaded.revert()
    assert reloaded.settings.hsts_seconds == 9
