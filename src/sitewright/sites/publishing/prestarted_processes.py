"""Child processes started in advance, so that no request waits for their imports."""

import atexit
import logging
import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from queue import Empty, SimpleQueue

_log = logging.getLogger("sitewright.publishing")


class PrestartedProcesses:
    """Each child is used once; after the first use one spare child waits for input, and ends when its input is closed.

    Its priority is lowered right after the start, since importing its modules takes a good part of a second.
    """

    def __init__(self, command: Sequence[str], niceness: int = 0) -> None:
        self._command = command
        self._niceness = niceness
        self._waiting: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
        atexit.register(self.close)

    @contextmanager
    def child(self) -> Iterator[subprocess.Popen[bytes]]:
        """Provide a running child, which is killed at the end of the context."""
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
        """Start a spare child; a failure is only logged, since the next child can be started on demand."""
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
        environment = {"PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8"}
        # A separate process group, so that Ctrl-C does not reach it.
        child = subprocess.Popen(self._command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment, process_group=0)
        if self._niceness:
            os.setpriority(os.PRIO_PROCESS, child.pid, self._niceness)
        return child
