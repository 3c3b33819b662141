"""The process supervisor: forks the parts of the service, restarts them with back-off, replaces them on SIGHUP, and
drains them on SIGTERM.

It is synchronous and single-threaded, so that forking is safe, and only waits for signals. The kernel signals every
child when the supervisor ends, so there are no orphans.
"""

import gc
import logging
import math
import os
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn, Protocol

import msgspec

from sitewright.kit import clock, logs
from sitewright.kit.full_memory import be_killed_first
from sitewright.kit.parent_death import end_with_parent
from sitewright.kit.pulse import Pulse
from sitewright.kit.systemd import ServiceManager
from sitewright.kit.watchdog import Watchdog, Watched

WATCHED = {signal.SIGTERM, signal.SIGINT, signal.SIGCHLD, signal.SIGHUP}
STABLE_SECONDS = 10  # a part that ran this long is restarted at once; otherwise with exponential back-off
MAX_BACKOFF_SECONDS = 5.0
SERVER_RETRY_SECONDS = 1.0  # between attempts to restart the database server
SETTLE_SECONDS = 3.0  # a process with new settings that is ready, and runs this long, replaces its predecessor
SETTLE_CHECK_SECONDS = 0.1
KILL_GRACE_SECONDS = 5  # after the drain timeout, for parts to abort their last requests themselves
_log = logging.getLogger("sitewright.supervisor")


class Part(msgspec.Struct, frozen=True):
    """A process of the service: `run` is called in a forked child and returns after SIGTERM."""

    name: str
    run: Callable[[Pulse], None]
    listeners: Sequence[socket.socket] = ()
    """The supervisor keeps them open, so clients can connect while a part restarts."""
    runs_once: bool = False
    """It ends by itself, and is not started again."""
    is_watched: bool = False
    """It reports to its pulse that it is ready and that it works."""
    ends_last: bool = False
    """Others need it until they have drained."""


class Server(Protocol):
    """The embedded database server."""

    @property
    def pid(self) -> int | None: ...
    def restart_after_death(self, on_wait: Callable[[], None]) -> None: ...
    def stop(self) -> None: ...


class Reload(Protocol):
    """The settings of the parts, as they are when a part is forked."""

    def load(self) -> bool:
        """Load them again; False if they are invalid and stay as they were."""
        ...

    def revert(self) -> None:
        """Take back the last `load`."""
        ...


class Child(msgspec.Struct):
    part: Part
    pulse: Pulse = msgspec.field(default_factory=Pulse)
    pid: int | None = None
    started: float = 0.0
    backoff: float = 0.0
    start_at: float = 0.0
    replaces: "Child | None" = None
    """Runs beside this one until it has settled."""
    is_replaced: bool = False
    """It drains, and is not started again."""

    @property
    def has_settled(self) -> bool:
        is_ready = self.pulse.is_ready or not self.part.is_watched
        return self.pid is not None and is_ready and clock.stopwatch() >= self.started + SETTLE_SECONDS


class Supervisor:
    def __init__(
        self,
        parts: Sequence[Part],
        *,
        server: Server | None = None,
        drain_seconds: float,
        on_exit: Callable[[int], None] = lambda _pid: None,
        manager: ServiceManager | None = None,
        reload: Reload | None = None,
    ) -> None:
        self._manager = manager or ServiceManager()
        self._watchdog = Watchdog(self._manager)
        self._on_exit = on_exit
        self._reload = reload
        self._reload_requested = False
        self._loaded_at = math.inf
        self._to_replace: list[Child] = []
        self._children = [Child(part) for part in parts]
        self._server = server
        self._server_retry_at: float | None = None
        self._drain_seconds = drain_seconds

    def run(self) -> None:
        """Run until SIGTERM or SIGINT, then drain every part."""
        signal.pthread_sigmask(signal.SIG_BLOCK, WATCHED)
        self._start_due()
        while True:
            received = signal.sigtimedwait(WATCHED, min(self._next_start(), self._watchdog.seconds_to_check()))
            if received is not None and _is_reload(received):
                self._reload_requested = True
            elif received is not None and received.si_signo != signal.SIGCHLD:
                break
            self._reap()
            self._replace_next()
            self._start_due()
            self._end_hung()
        self._manager.notify("STOPPING=1")
        logs.event(_log, "stopping", signal=signal.Signals(received.si_signo).name)
        self._drain()
        if self._server is not None:
            self._server.stop()

    def _start_due(self) -> None:
        for each in self._children:
            if each.pid is None and each.start_at <= clock.stopwatch():
                each.started = clock.stopwatch()
                each.pulse.reset()
                each.pid = _fork(each, self._foreign_listeners(each.part))
                logs.event(_log, "started", part=each.part.name, pid=each.pid)

    def _end_hung(self) -> None:
        """Kill parts that hang; they are restarted like any that ended."""
        watched = [each for each in self._children if each.part.is_watched]
        parts = [None if each.pid is None else Watched(each.pid, each.pulse) for each in watched]
        for pid in self._watchdog.check(parts):
            _log.error("process %s hangs; restarting it", pid)
            os.kill(pid, signal.SIGKILL)

    def _foreign_listeners(self, part: Part) -> list[socket.socket]:
        return [listener for listener in self._listeners() if not any(listener is own for own in part.listeners)]

    def _listeners(self) -> list[socket.socket]:
        return [listener for each in self._children for listener in each.part.listeners]

    def _next_start(self) -> float:
        times = [each.start_at for each in self._children if each.pid is None]
        if any(each.replaces for each in self._children):
            times.append(clock.stopwatch() + SETTLE_CHECK_SECONDS)
        times += [] if self._server_retry_at is None else [self._server_retry_at]
        return max(0.0, min(times, default=clock.stopwatch() + 3600.0) - clock.stopwatch())

    def _reap(self) -> None:
        if self._server is not None:
            self._restart_server(self._server)
        for each in list(self._children):
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
            server.restart_after_death(self._watchdog.beat)
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
        if each.part.runs_once or each.is_replaced:
            self._children.remove(each)
            logs.event(_log, "ended", part=each.part.name, pid=each.pid, status=status)
            return
        logs.event(_log, "ended", part=each.part.name, pid=each.pid, status=status, again_in=each.backoff)
        each.pid = None

    def _start_reload(self) -> None:
        self._reload_requested = False
        self._loaded_at = clock.stopwatch()
        if self._reload is not None and self._reload.load():
            self._to_replace = self._started_since(0.0)

    def _started_since(self, start: float) -> list[Child]:
        lasting = [each for each in self._children if not (each.part.runs_once or each.is_replaced)]
        return [each for each in lasting if each.started >= start]

    def _replace_next(self) -> None:
        """One process at a time: a new one starts on the same listeners, then the old one drains.

        A reload that is requested meanwhile begins when the last process is replaced.
        """
        for new in [each for each in self._children if each.replaces is not None]:
            if new.pid is None and new.started:
                self._abandon_reload(new)
            elif new.has_settled:
                self._retire(new.replaces)
                new.replaces = None
        if self._reload_requested and not self._to_replace and not any(each.replaces for each in self._children):
            self._start_reload()
        if self._to_replace and not any(each.replaces or each.is_replaced for each in self._children):
            old = self._to_replace.pop(0)
            self._children.append(Child(old.part, replaces=old))

    def _retire(self, old: Child | None) -> None:
        if old is None or old not in self._children:
            return
        if old.pid is None:  # it waits for a restart
            self._children.remove(old)
            return
        old.is_replaced = True
        os.kill(old.pid, signal.SIGTERM)

    def _abandon_reload(self, new: Child) -> None:
        """Processes that run with the new settings already are replaced once more, with the former ones."""
        _log.error("%s does not run with the new settings; all processes use the former ones", new.part.name)
        self._children.remove(new)
        if self._reload is not None:
            self._reload.revert()
        self._to_replace = self._started_since(self._loaded_at)
        self._loaded_at = math.inf

    def _drain(self) -> None:
        """Send SIGTERM to all; after the timeout, or at a second signal, kill those that still run."""
        for listener in self._listeners():
            listener.close()
        deadline = clock.stopwatch() + self._drain_seconds + KILL_GRACE_SECONDS
        for ends_last in (False, True):
            parts = [each for each in self._children if each.part.ends_last == ends_last]
            _signal_all(parts, signal.SIGTERM)
            while any(each.pid for each in parts):
                received = signal.sigtimedwait(WATCHED, max(0.0, deadline - clock.stopwatch()))
                if received is None or received.si_signo != signal.SIGCHLD:
                    _signal_all(self._children, signal.SIGKILL)
                for each in self._children:
                    if each.pid is not None and _ended(each.pid) is not None:
                        each.pid = None


def _signal_all(children: Sequence[Child], number: signal.Signals) -> None:
    for each in children:
        if each.pid is not None:
            os.kill(each.pid, number)


def _is_reload(received: signal.struct_siginfo) -> bool:
    """A SIGHUP that a process sent. The kernel's own (its code is positive) means that the terminal was closed."""
    return received.si_signo == signal.SIGHUP and received.si_code <= 0


def _ended(pid: int) -> int | None:
    """Reap our child: its exit status, or None while it runs."""
    reaped, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if reaped else None


def _has_ended(pid: int) -> bool:
    """Whether our child has ended, without reaping it."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _fork(child: Child, foreign_listeners: Sequence[socket.socket]) -> int:
    parent = os.getpid()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        _run_child(child, parent, foreign_listeners)
    return pid


def _run_child(child: Child, parent: int, foreign_listeners: Sequence[socket.socket]) -> NoReturn:
    """In the child: run the part and exit, never returning into the supervisor's code."""
    code = 1
    try:
        end_with_parent(parent, signal.SIGTERM)
        be_killed_first()
        for number in (signal.SIGINT, signal.SIGHUP):  # Ctrl-C signals the whole process group; the supervisor decides
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, WATCHED)
        for listener in foreign_listeners:
            listener.close()
        gc.freeze()  # objects from before the fork stay shared: garbage collection does not touch them
        child.part.run(child.pulse)
        code = 0
    except BaseException:
        _log.exception("%s failed", child.part.name)
    finally:
        logging.shutdown()
        os._exit(code)
