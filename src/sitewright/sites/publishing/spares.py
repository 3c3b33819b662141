"""Child processes that are started before they are needed: a child imports its modules while nobody waits for it."""

import atexit
import logging
import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from queue import Empty, SimpleQueue

_log = logging.getLogger("sitewright.publishing")


class Spares:
    """Each child serves once. From the first one on, another waits for its input, and ends when that is closed.

    Its priority is lowered as soon as it is started: importing its modules takes a good part of a second already.
    """

    def __init__(self, command: Sequence[str], niceness: int = 0) -> None:
        self._command = command
        self._niceness = niceness
        self._waiting: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
        atexit.register(self.close)

    @contextmanager
    def child(self) -> Iterator[subprocess.Popen[bytes]]:
        """One that is alive; it does not outlive the context."""
        child = self._take()
        try:
            yield child
        finally:
            if child.poll() is None:
                child.kill()
                child.communicate()
            if self._waiting.empty():
                self._add_spare()

    def close(self) -> None:
        while not self._waiting.empty():
            self._waiting.get().communicate()

    def _add_spare(self) -> None:
        """A failure is logged and nothing more: the work is done, and the next child is started when it is needed."""
        try:
            self._waiting.put(self._start())
        except OSError as error:
            _log.warning("no spare child process could be started: %s", error)

    def _take(self) -> subprocess.Popen[bytes]:
        while True:
            try:
                child = self._waiting.get_nowait()
            except Empty:
                return self._start()
            if child.poll() is None:
                return child
            child.communicate()

    def _start(self) -> subprocess.Popen[bytes]:
        pipe = subprocess.PIPE
        clean = {"PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8"}
        # A process group of its own keeps Ctrl-C away.
        child = subprocess.Popen(self._command, stdin=pipe, stdout=pipe, stderr=pipe, env=clean, process_group=0)
        if self._niceness:
            os.setpriority(os.PRIO_PROCESS, child.pid, self._niceness)
        return child
