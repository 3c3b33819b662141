"""Settings that are loaded again while the service runs: at SIGHUP, for processes that start from then on."""

import logging
from collections.abc import Callable

import msgspec

from sitewright.kit import logs
from sitewright.settings import Settings, SettingsError

NEED_RESTART = frozenset(
    {
        "data_dir",
        "host",
        "api_port",
        "site_port",
        "site_tls_port",
        "workers",
        "edge_processes",
        "drain_seconds",
        "clock_offset_seconds",
        "demo_history",
    }
)
"""What the supervisor itself uses: the folder, sockets, the number of processes, and the clock that all share."""
DATABASE = frozenset({"database_url", "owner_database_url"})
_log = logging.getLogger("sitewright.settings")


class CurrentSettings:
    """The settings that the next process is started with."""

    def __init__(self, settings: Settings, database_url: str, load: Callable[[], Settings]) -> None:
        """`database_url`: of the service; the embedded database's is in no setting."""
        self.settings, self.database_url = settings, database_url
        self._load = load
        self._former = settings, database_url

    def load(self) -> bool:
        """Names of settings are logged, never values. False: they are invalid, and stay as they were."""
        try:
            found = self._load()
        except SettingsError as error:
            _log.error("the settings are not reloaded: %s", error)
            return False
        changed = _changed(self.settings, found)
        waiting = [name for name in changed if name in NEED_RESTART or (name in DATABASE and not self._can_move(found))]
        self._former = self.settings, self.database_url
        self.settings = msgspec.structs.replace(found, **{name: getattr(self.settings, name) for name in waiting})
        self.database_url = self.settings.database_url or self.database_url
        logs.event(
            _log, "settings reloaded", changed=[name for name in changed if name not in waiting], need_restart=waiting
        )
        return True

    def revert(self) -> None:
        self.settings, self.database_url = self._former

    def _can_move(self, found: Settings) -> bool:
        """From one configured database to another; the embedded one belongs to the supervisor."""
        return bool(self.settings.database_url) and bool(found.database_url)


def _changed(old: Settings, new: Settings) -> list[str]:
    names = [field.name for field in msgspec.structs.fields(Settings)]
    return [name for name in names if getattr(old, name) != getattr(new, name)]
