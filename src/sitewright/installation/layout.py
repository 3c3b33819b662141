"""Where an installation is on the machine."""

from pathlib import Path

import msgspec

SHIPPED_COMMAND = "/opt/sitewright/.venv/bin/sitewright"
SHIPPED_CONFIG = "/etc/sitewright"
SHIPPED_STATE = "/var/lib/sitewright"
SHIPPED_USER = "sitewright"


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    command: Path
    """The `sitewright` program of the virtual environment."""
    config: Path = Path(SHIPPED_CONFIG)
    state: Path = Path(SHIPPED_STATE)
    units: Path = Path("/etc/systemd/system")
    users: Path = Path("/etc/sysusers.d")
    folders: Path = Path("/etc/tmpfiles.d")
    script: Path = Path("/usr/local/bin/sitewright")
    """Runs commands with the settings, secrets and user of the service."""
    user: str = SHIPPED_USER

    @property
    def settings_file(self) -> Path:
        return self.config / "sitewright.toml"

    @property
    def credentials(self) -> Path:
        return self.config / "credentials"

    @property
    def catalogue(self) -> Path:
        return self.config / "catalogue.yaml"

    @property
    def data(self) -> Path:
        return self.state / "data"

    def localized(self, text: str) -> str:
        """A shipped file with the paths and the user of this installation."""
        user = f"User={self.user}\n"
        return (
            text.replace(SHIPPED_COMMAND, str(self.command))
            .replace(SHIPPED_CONFIG, str(self.config))
            .replace(SHIPPED_STATE, str(self.state))
            .replace(f"User={SHIPPED_USER}\n", user)
            .replace(f"u {SHIPPED_USER} ", f"u {self.user} ")
            .replace(f" {SHIPPED_USER} {SHIPPED_USER}\n", f" {self.user} {self.user}\n")
        )
