"""A small supervisor: forks the parts of the service, keeps them running, and ends them in order.

It is synchronous and single-threaded, so that forking is safe, and waits for signals alone. A child dies with its
supervisor (the kernel sees to that), so nothing is ever orphaned.
"""

import ctypes
import gc
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn, Protocol

import msgspec

from sitewright.kit import clock, logs

PR_SET_PDEATHSIG = 1
WATCHED = {signal.SIGTERM, signal.SIGINT, signal.SIGCHLD}
STEADY_SECONDS = 10  # a part that ran so long is started again at once; a shorter life is followed by a pause
LONGEST_PAUSE = 5.0
SERVER_PAUSE = 1.0  # until a database server that did not start is tried again
LAST_WORDS_SECONDS = 5  # for parts that cut off what is under way when their own time is up
_log = logging.getLogger("sitewright.supervisor")


class Part(msgspec.Struct, frozen=True):
    """A process of the service: `run` is called in a child and returns when the part was told to stop."""

    name: str
    run: Callable[[], None]
    listeners: Sequence[socket.socket] = ()
    """Held open by the supervisor, so that a part that dies is not missed by its callers."""


class Server(Protocol):
    """The database server, where it is ours to run."""

    @property
    def pid(self) -> int | None: ...
    def restart_after_death(self) -> None: ...
    def stop(self) -> None: ...


class Running(msgspec.Struct):
    part: Part
    pid: int | None = None
    started: float = 0.0
    pause: float = 0.0
    due: float = 0.0


class Supervisor:
    def __init__(
        self,
        parts: Sequence[Part],
        *,
        server: Server | None = None,
        drain_seconds: float,
        when_ended: Callable[[int], None] = lambda _pid: None,
    ) -> None:
        self._when_ended = when_ended
        self._all = [Running(part) for part in parts]
        self._server = server
        self._server_due: float | None = None
        self._drain_seconds = drain_seconds

    def run(self) -> None:
        """Until SIGTERM or SIGINT; then every part has finished what it had begun."""
        signal.pthread_sigmask(signal.SIG_BLOCK, WATCHED)
        self._start_due()
        while True:
            received = signal.sigtimedwait(WATCHED, self._next_start())
            if received is not None and received.si_signo != signal.SIGCHLD:
                break
            self._reap()
            self._start_due()
        logs.event(_log, "stopping", signal=signal.Signals(received.si_signo).name)
        self._drain()
        if self._server is not None:
            self._server.stop()

    def _start_due(self) -> None:
        for each in self._all:
            if each.pid is None and each.due <= clock.stopwatch():
                each.started = clock.stopwatch()
                each.pid = _fork(each.part, self._foreign_listeners(each.part))
                logs.event(_log, "started", part=each.part.name, pid=each.pid)

    def _foreign_listeners(self, part: Part) -> list[socket.socket]:
        return [listener for listener in self._listeners() if not any(listener is own for own in part.listeners)]

    def _listeners(self) -> list[socket.socket]:
        return [listener for each in self._all for listener in each.part.listeners]

    def _next_start(self) -> float:
        due = [each.due for each in self._all if each.pid is None]
        due += [] if self._server_due is None else [self._server_due]
        return max(0.0, min(due, default=clock.stopwatch() + 3600.0) - clock.stopwatch())

    def _reap(self) -> None:
        if self._server is not None:
            self._revive(self._server)
        for each in self._all:
            if each.pid is not None and (status := _ended(each.pid)) is not None:
                self._bury(each, status)

    def _revive(self, server: Server) -> None:
        """Again and again where it does not start: the disk may be full now, and have room later."""
        if self._server_due is None:
            if server.pid is None or not _has_ended(server.pid):
                return
            logs.event(_log, "the database server died; starting it again")
        elif self._server_due > clock.stopwatch():
            return
        try:
            server.restart_after_death()
            self._server_due = None
        except Exception as error:
            _log.error("the database server does not start, and is tried again: %s", error)
            self._server_due = clock.stopwatch() + SERVER_PAUSE

    def _bury(self, each: Running, status: int) -> None:
        lived = clock.stopwatch() - each.started
        each.pause = 0.0 if lived >= STEADY_SECONDS else min(LONGEST_PAUSE, max(0.1, each.pause * 2))
        each.due = clock.stopwatch() + each.pause
        if each.pid is not None:
            self._when_ended(each.pid)
        logs.event(_log, "ended", part=each.part.name, pid=each.pid, status=status, again_in=each.pause)
        each.pid = None

    def _drain(self) -> None:
        """SIGTERM to all; whoever has not finished when the time is up, or at a second signal, is killed."""
        for listener in self._listeners():
            listener.close()
        self._signal_all(signal.SIGTERM)
        deadline = clock.stopwatch() + self._drain_seconds + LAST_WORDS_SECONDS
        while any(each.pid for each in self._all):
            received = signal.sigtimedwait(WATCHED, max(0.0, deadline - clock.stopwatch()))
            if received is None or received.si_signo != signal.SIGCHLD:
                self._signal_all(signal.SIGKILL)
            for each in self._all:
                if each.pid is not None and _ended(each.pid) is not None:
                    each.pid = None

    def _signal_all(self, number: signal.Signals) -> None:
        for each in self._all:
            if each.pid is not None:
                os.kill(each.pid, number)


def _ended(pid: int) -> int | None:
    """The exit status of our child, once it has ended."""
    reaped, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if reaped else None


def _has_ended(pid: int) -> bool:
    """Whether our child has ended, leaving it for its owner to reap."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _fork(part: Part, foreign_listeners: Sequence[socket.socket]) -> int:
    parent = os.getpid()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        _become(part, parent, foreign_listeners)
    return pid


def _become(part: Part, parent: int, foreign_listeners: Sequence[socket.socket]) -> NoReturn:
    """In the child: run the part and leave, never returning into the supervisor's code."""
    code = 1
    try:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() == parent:  # else the supervisor died before the line above
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the supervisor decides
            signal.pthread_sigmask(signal.SIG_UNBLOCK, WATCHED)
            for listener in foreign_listeners:
                listener.close()
            gc.freeze()  # what was imported before the fork stays shared, and is never walked again
            part.run()
            code = 0
    except BaseException:
        _log.exception("%s failed", part.name)
    finally:
        logging.shutdown()
        os._exit(code)
