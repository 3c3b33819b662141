"""A PostgreSQL server in a temporary folder: for trying a backup or a migration without touching the real database."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sitewright.kit.embedded.binaries import INSTALL_COMMAND, is_installed
from sitewright.kit.embedded.errors import EmbeddedPostgresError
from sitewright.kit.embedded.postgres import EmbeddedPostgres


@contextmanager
def scratch_server() -> Iterator[str]:
    """The URL of an empty database, as its owner; the server and its files are removed at the end.

    The folder is below TMPDIR, and only this user can read it.
    """
    if not is_installed():
        raise EmbeddedPostgresError(
            f"This needs a temporary PostgreSQL server, and the embedded one is not installed: {INSTALL_COMMAND}"
        )
    with tempfile.TemporaryDirectory(prefix="sitewright-scratch-") as folder:
        server = EmbeddedPostgres(Path(folder))
        server.start()
        try:
            yield server.url
        finally:
            server.stop()
