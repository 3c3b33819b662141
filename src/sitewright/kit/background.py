"""The process that works in the background, and those of the database's server that work for it.

All of them stand back for everybody else (decision 0032); while packages are due, they also leave a core to everybody
else (decision 0033).
"""

import asyncio
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from weakref import WeakSet

from sitewright.kit.pool import Connection
from sitewright.kit.scheduling import allowed_cores, keep_to, stand_back

NICENESS = 10  # for callers wait and it does not
BACKEND_NICENESS = 5  # of those who work for it; less, for they hold locks that callers may wait for
WRITERS = ("walwriter", "checkpointer", "background writer")  # they carry to the disk what backends have changed
AGAIN_SECONDS = 0.15  # until who was put off is asked again to stand back


class Background:
    def __init__(self, *, is_server_here: bool) -> None:
        """`is_server_here`: whether the database's server is ours. Of another one, that may be on another machine, the
        numbers of its processes are somebody else's here."""
        self._is_server_here = is_server_here
        self._connections: WeakSet[Connection] = WeakSet()
        self._everywhere = self._cores = allowed_cores()

    def begin(self) -> None:
        """In a session of its own, which Linux weighs against those of others."""
        os.setsid()
        self._stand_back()

    def opened(self, connection: Connection) -> None:
        if self._is_server_here:
            self._connections.add(connection)
            self._let_stand_back(connection)
            for pid in _backends([connection]):
                keep_to(self._cores, pid)

    @contextmanager
    def aside(self) -> Iterator[None]:
        """While it lasts, all of them share the cores but the first, where there are several: who calls finds that one
        free, and need not interrupt anybody."""
        self._keep_to(self._everywhere[1:] or self._everywhere)
        try:
            yield
        finally:
            self._keep_to(self._everywhere)

    def _stand_back(self) -> None:
        if not stand_back(NICENESS):
            asyncio.get_running_loop().call_later(AGAIN_SECONDS, self._stand_back)

    def _let_stand_back(self, connection: Connection) -> None:
        if not all(stand_back(BACKEND_NICENESS, pid) for pid in _backends([connection])):
            asyncio.get_running_loop().call_later(AGAIN_SECONDS, self._let_stand_back, connection)

    def _keep_to(self, cores: list[int]) -> None:
        self._cores = cores
        backends = _backends(self._connections)
        for pid in [os.getpid(), *backends, *_writers_of(backends)]:
            keep_to(cores, pid)


def _backends(connections: Iterable[Connection]) -> list[int]:
    """Of those that are open."""
    return [pid for each in connections if not each.is_closed() and _is_server(pid := each.get_server_pid())]


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
