from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Layout:
    """The paths of one embedded server.

    `folder` belongs to the account that the server runs under; the lock and the password outside it are ours.
    """

    data_dir: Path

    @property
    def lock(self) -> Path:
        return self.data_dir / "postgres.lock"

    @property
    def password(self) -> Path:
        return self.data_dir / "postgres.password"

    @property
    def folder(self) -> Path:
        return self.data_dir / "postgres"

    @property
    def cluster(self) -> Path:
        return self.folder / "data"

    @property
    def run(self) -> Path:
        return self.folder / "run"

    @property
    def short_run_record(self) -> Path:
        """A file with the path of the socket folder that replaces `run` if that path is too long."""
        return self.folder / "run-elsewhere"

    @property
    def log(self) -> Path:
        return self.folder / "server.log"
