import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from sitewright.kit.embedded.cluster import DATABASE, OWNER, ensure_cluster, read_password
from sitewright.kit.embedded.errors import EmbeddedPostgresError
from sitewright.kit.embedded.folder_lock import FolderLock
from sitewright.kit.embedded.layout import Layout
from sitewright.kit.embedded.processes import (
    belongs_to_cluster,
    end_orphans,
    recorded_postmaster,
    remove_foreign_lock_file,
)
from sitewright.kit.embedded.programs import Programs, prepare_programs
from sitewright.kit.embedded.server import MIN_CONNECTIONS, end_server, start_server
from sitewright.kit.embedded.sockets import (
    SOCKET_LOCK,
    connection_url,
    current_socket_folder,
    open_socket_folder,
    remove_short_folder,
)
from sitewright.kit.embedded.waiting import do_nothing


@dataclass
class _Ownership:
    """The state of the process that started the server; forked children inherit a copy."""

    owner: int
    lock: FolderLock
    programs: Programs
    process: subprocess.Popen[bytes]


class EmbeddedPostgres:
    """PostgreSQL as a child process, for one data folder. It ends with this process, even if that is killed.

    Start it in the main thread: the kernel sends the parent-death signal when the starting thread ends.
    """

    def __init__(self, data_dir: Path, *, connections: int = 0) -> None:
        """`connections`: how many are needed; `MIN_CONNECTIONS` are always allowed."""
        self._connections = max(MIN_CONNECTIONS, connections)
        self._layout = Layout(data_dir.resolve())
        self._ownership: _Ownership | None = None

    @classmethod
    def running(cls, data_dir: Path) -> Self | None:
        """Attach to the server that another process runs for this folder; None if there is none."""
        found = cls(data_dir)
        with _explaining_errors(found._layout):
            postmaster = recorded_postmaster(found._layout.cluster)
        if (
            postmaster is None
            or not postmaster.is_ready
            or not belongs_to_cluster(postmaster.pid, found._layout.cluster)
        ):
            return None
        return found

    @property
    def url(self) -> str:
        with _explaining_errors(self._layout):
            return connection_url(OWNER, read_password(self._layout), DATABASE, current_socket_folder(self._layout))

    @property
    def pid(self) -> int | None:
        """Available after the postmaster's exit too, until it is reaped."""
        ownership = self._owned()
        return ownership.process.pid if ownership is not None else None

    def start(self) -> None:
        with _explaining_errors(self._layout):
            self._layout.data_dir.mkdir(parents=True, exist_ok=True)
            lock = FolderLock(self._layout.lock)
            try:
                programs = prepare_programs(self._layout)
                end_orphans(self._layout.cluster)
                ensure_cluster(self._layout, programs)
                open_socket_folder(self._layout, programs.account)
                self._ownership = _Ownership(os.getpid(), lock, programs, self._launch(programs))
            except BaseException:
                lock.release()
                raise

    def restart_after_death(self, on_wait: Callable[[], None] = do_nothing) -> None:
        """Start the postmaster again after a crash; does nothing while it runs.

        `on_wait` is called continually until it is ready: a crash recovery may take minutes.
        """
        ownership = self._owned()
        if ownership is None:
            raise EmbeddedPostgresError("Only the process that started the embedded PostgreSQL can restart it.")
        if ownership.process.poll() is None:
            return
        with _explaining_errors(self._layout):
            end_orphans(self._layout.cluster)
            ownership.process = self._launch(ownership.programs, on_wait)

    def stop(self) -> None:
        """Stop the server; does nothing if another process runs it."""
        ownership = self._owned()
        if ownership is None:
            return
        try:
            with _explaining_errors(self._layout):
                end_server(ownership.process)
                end_orphans(self._layout.cluster)
                remove_short_folder(self._layout)
        finally:
            self._ownership = None
            ownership.lock.release()

    def _launch(self, programs: Programs, on_wait: Callable[[], None] = do_nothing) -> subprocess.Popen[bytes]:
        socket_folder = current_socket_folder(self._layout)
        remove_foreign_lock_file(self._layout.cluster / "postmaster.pid")
        remove_foreign_lock_file(socket_folder / SOCKET_LOCK)
        return start_server(self._layout, programs, socket_folder, self._connections, on_wait)

    def _owned(self) -> _Ownership | None:
        if self._ownership is None or self._ownership.owner != os.getpid():
            return None
        return self._ownership


@contextmanager
def _explaining_errors(layout: Layout) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise EmbeddedPostgresError(
            f"The embedded PostgreSQL cannot use {error.filename or layout.folder}: {error.strerror}. "
            f"Its files are in {layout.folder}: check who owns them and whether the disk is full, "
            "or choose another SITEWRIGHT_DATA_DIR."
        ) from error
