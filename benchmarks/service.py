"""The real service: `sitewright serve --demo` with one API process, as an operator would start it."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.figures import MeasurementFailed
from benchmarks.processes import free_port, running
from benchmarks.signing import Credentials
from sitewright.kit.embedded import EmbeddedPostgres
from sitewright.settings import PREFIX, load

LOG = "service.log"
EVERY_CORE = 0


class Service(msgspec.Struct, frozen=True):
    url: str
    folder: Path
    """The data dir of this run, also for the logs of references."""
    database_url: str
    demo: dict[str, Any]

    @property
    def log(self) -> Path:
        return self.folder / LOG

    def brand(self, brand_ref: int) -> dict[str, Any]:
        """The contents of demo.json."""
        brand: dict[str, Any] = next(each for each in self.demo["brands"] if each["brandRef"] == brand_ref)
        return brand

    def credentials(self, brand_ref: int) -> Credentials:
        return msgspec.convert(self.brand(brand_ref)["oauth"], Credentials)

    def password_of(self, brand_ref: int) -> tuple[str, str]:
        """A name and a password, for HTTP Basic."""
        basic = self.brand(brand_ref)["basic"]
        return basic["username"], basic["password"]


@contextmanager
def own_folder() -> Iterator[Path]:
    """A folder on the disk of the service's data, since the system's temporary folder may be in memory."""
    data_dir = load().data_path
    data_dir.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=data_dir) as folder:
        yield Path(folder)


@contextmanager
def running_service(folder: Path, *, api_processes: int = 1, **settings: object) -> Iterator[Service]:
    """`api_processes`: by default the service has one per core. `settings`: further ones."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    command = [str(Path(sys.executable).with_name("sitewright")), "serve", "--demo"]
    with running(
        command,
        environment=_environment(folder, port, api_processes)
        | {f"{PREFIX}{name.upper()}": str(value) for name, value in settings.items()},
        folder=folder,
        log=folder / LOG,
        ready_url=f"{url}/health/ready",
    ):
        demo = msgspec.json.decode((folder / "demo.json").read_bytes())
        yield Service(url, folder, _database_url(folder), demo)


def _environment(folder: Path, port: int, api_processes: int) -> dict[str, str]:
    """No settings of the operator, so that every run measures the same service."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    return inherited | {
        f"{PREFIX}DATA_DIR": str(folder),
        f"{PREFIX}HOST": "127.0.0.1",
        f"{PREFIX}API_PORT": str(port),
        f"{PREFIX}SITE_PORT": str(free_port()),
        f"{PREFIX}SITE_TLS_PORT": str(free_port()),
        f"{PREFIX}WORKERS": str(api_processes),
        f"{PREFIX}EDGE_PROCESSES": "1",
        f"{PREFIX}DEMO_HISTORY": "false",
    }


def _database_url(folder: Path) -> str:
    server = EmbeddedPostgres.running(folder)
    if server is None:
        raise MeasurementFailed("the service runs without its embedded PostgreSQL")
    return server.url
