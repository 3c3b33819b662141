"""The process that works in the background, and those of the database's server that work for it.

All of them stand back for everybody else (decision 0032); while there is much to do, they also leave a core to
everybody else (decision 0033).
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from weakref import WeakSet

from sitewright.kit.pool import Connection
from sitewright.kit.scheduling import keep_to, may_use, stand_back

NICENESS = 10  # for callers wait and it does not
BACKEND_NICENESS = 5  # of those who work for it; less, for they hold locks that callers may wait for
WRITERS = ("walwriter", "checkpointer", "background writer")  # they carry to the disk what backends have changed


class Background:
    def __init__(self, *, is_server_here: bool) -> None:
        """`is_server_here`: whether the database's server is ours. Of another one, that may be on another machine, the
        numbers of its processes are somebody else's here."""
        self._is_server_here = is_server_here
        self._connections: WeakSet[Connection] = WeakSet()
        self._everywhere = self._cores = may_use()
        self._to_stand_back: dict[int, int] = {}

    def begin(self) -> None:
        """In a session of its own, which Linux weighs against those of others."""
        os.setsid()
        self._to_stand_back[os.getpid()] = NICENESS
        self._stand_back()

    def opened(self, connection: Connection) -> None:
        if self._is_server_here:
            self._connections.add(connection)
            pid = connection.get_server_pid()
            self._to_stand_back[pid] = BACKEND_NICENESS
            self._stand_back()
            keep_to(self._cores, pid)

    @contextmanager
    def aside(self) -> Iterator[None]:
        """While it lasts, all of them share the cores but the first, where there are several: who calls finds that one
        free, and need not interrupt anybody."""
        self._stand_back()
        self._keep_to(self._everywhere[1:] or self._everywhere)
        try:
            yield
        finally:
            self._keep_to(self._everywhere)

    def _stand_back(self) -> None:
        """Those that the system puts off are asked again the next time."""
        for pid, niceness in list(self._to_stand_back.items()):
            if not (pid == os.getpid() or _is_server(pid)) or stand_back(niceness, pid):
                del self._to_stand_back[pid]

    def _keep_to(self, cores: list[int]) -> None:
        self._cores = cores
        backends = [each.get_server_pid() for each in self._connections if not each.is_closed()]
        for pid in [os.getpid(), *filter(_is_server, backends), *_writers_of(backends)]:
            keep_to(cores, pid)


def _is_server(pid: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text() == "postgres\n"
    return False


def _writers_of(backends: list[int]) -> list[int]:
    """Of the server whose backends these are; none where the system does not tell."""
    for backend in backends:
        with suppress(OSError):
            server = Path(f"/proc/{backend}/stat").read_text().rpartition(")")[2].split()[1]
            children = Path(f"/proc/{server}/task/{server}/children").read_text().split()
            return [int(pid) for pid in children if _is_writer(pid)]
    return []


def _is_writer(pid: str) -> bool:
    with suppress(OSError):
        title = Path(f"/proc/{pid}/cmdline").read_text().rstrip("\0 ")
        return title.startswith("postgres: ") and title.endswith(WRITERS)
    return False
