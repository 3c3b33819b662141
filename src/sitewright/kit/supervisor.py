"""The process supervisor: forks the parts of the service, restarts them with back-off, and drains them on SIGTERM.

It is synchronous and single-threaded, so that forking is safe, and only waits for signals. The kernel signals every
child when the supervisor ends, so there are no orphans.
"""

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
from sitewright.kit.parent_death import end_with_parent

WATCHED = {signal.SIGTERM, signal.SIGINT, signal.SIGCHLD}
STABLE_SECONDS = 10  # a part that ran this long is restarted at once; otherwise with exponential back-off
MAX_BACKOFF_SECONDS = 5.0
SERVER_RETRY_SECONDS = 1.0  # between attempts to restart the database server
KILL_GRACE_SECONDS = 5  # after the drain timeout, for parts to abort their last requests themselves
_log = logging.getLogger("sitewright.supervisor")


class Part(msgspec.Struct, frozen=True):
    """A process of the service: `run` is called in a forked child and returns after SIGTERM."""

    name: str
    run: Callable[[], None]
    listeners: Sequence[socket.socket] = ()
    """The supervisor keeps them open, so clients can connect while a part restarts."""


class Server(Protocol):
    """The embedded database server."""

    @property
    def pid(self) -> int | None: ...
    def restart_after_death(self) -> None: ...
    def stop(self) -> None: ...


class Child(msgspec.Struct):
    part: Part
    pid: int | None = None
    started: float = 0.0
    backoff: float = 0.0
    start_at: float = 0.0


class Supervisor:
    def __init__(
        self,
        parts: Sequence[Part],
        *,
        server: Server | None = None,
        drain_seconds: float,
        on_exit: Callable[[int], None] = lambda _pid: None,
    ) -> None:
        self._on_exit = on_exit
        self._children = [Child(part) for part in parts]
        self._server = server
        self._server_retry_at: float | None = None
        self._drain_seconds = drain_seconds

    def run(self) -> None:
        """Run until SIGTERM or SIGINT, then drain every part."""
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
        for each in self._children:
            if each.pid is None and each.start_at <= clock.stopwatch():
                each.started = clock.stopwatch()
                each.pid = _fork(each.part, self._foreign_listeners(each.part))
                logs.event(_log, "started", part=each.part.name, pid=each.pid)

    def _foreign_listeners(self, part: Part) -> list[socket.socket]:
        return [listener for listener in self._listeners() if not any(listener is own for own in part.listeners)]

    def _listeners(self) -> list[socket.socket]:
        return [listener for each in self._children for listener in each.part.listeners]

    def _next_start(self) -> float:
        times = [each.start_at for each in self._children if each.pid is None]
        times += [] if self._server_retry_at is None else [self._server_retry_at]
        return max(0.0, min(times, default=clock.stopwatch() + 3600.0) - clock.stopwatch())

    def _reap(self) -> None:
        if self._server is not None:
            self._restart_server(self._server)
        for each in self._children:
            if each.pid is not None and (status := _ended(each.pid)) is not None:
                self._schedule_restart(each, status)

    def _restart_server(self, server: Server) -> None:
        """Retries without a limit: the disk may be full only for a while."""
        if self._server_retry_at is None:
            if server.pid is None or not _has_ended(server.pid):
                return
            logs.event(_log, "the database server ended unexpectedly; restarting it")
        elif self._server_retry_at > clock.stopwatch():
            return
        try:
            server.restart_after_death()
            self._server_retry_at = None
        except Exception as error:
            _log.error("the database server does not start; retrying: %s", error)
            self._server_retry_at = clock.stopwatch() + SERVER_RETRY_SECONDS

    def _schedule_restart(self, each: Child, status: int) -> None:
        uptime = clock.stopwatch() - each.started
        each.backoff = 0.0 if uptime >= STABLE_SECONDS else min(MAX_BACKOFF_SECONDS, max(0.1, each.backoff * 2))
        each.start_at = clock.stopwatch() + each.backoff
        if each.pid is not None:
            self._on_exit(each.pid)
        logs.event(_log, "ended", part=each.part.name, pid=each.pid, status=status, again_in=each.backoff)
        each.pid = None

    def _drain(self) -> None:
        """Send SIGTERM to all; after the timeout, or at a second signal, kill those that still run."""
        for listener in self._listeners():
            listener.close()
        self._signal_all(signal.SIGTERM)
        deadline = clock.stopwatch() + self._drain_seconds + KILL_GRACE_SECONDS
        while any(each.pid for each in self._children):
            received = signal.sigtimedwait(WATCHED, max(0.0, deadline - clock.stopwatch()))
            if received is None or received.si_signo != signal.SIGCHLD:
                self._signal_all(signal.SIGKILL)
            for each in self._children:
                if each.pid is not None and _ended(each.pid) is not None:
                    each.pid = None

    def _signal_all(self, number: signal.Signals) -> None:
        for each in self._children:
            if each.pid is not None:
                os.kill(each.pid, number)


def _ended(pid: int) -> int | None:
    """Reap our child: its exit status, or None while it runs."""
    reaped, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if reaped else None


def _has_ended(pid: int) -> bool:
    """Whether our child has ended, without reaping it."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _fork(part: Part, foreign_listeners: Sequence[socket.socket]) -> int:
    parent = os.getpid()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        _run_child(part, parent, foreign_listeners)
    return pid


def _run_child(part: Part, parent: int, foreign_listeners: Sequence[socket.socket]) -> NoReturn:
    """In the child: run the part and exit, never returning into the supervisor's code."""
    code = 1
    try:
        end_with_parent(parent, signal.SIGTERM)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C signals the whole process group; the supervisor decides
        signal.pthread_sigmask(signal.SIG_UNBLOCK, WATCHED)
        for listener in foreign_listeners:
            listener.close()
        gc.freeze()  # objects from before the fork stay shared: garbage collection does not touch them
        part.run()
        code = 0
    except BaseException:
        _log.exception("%s failed", part.name)
    finally:
        logging.shutdown()
        os._exit(code)
