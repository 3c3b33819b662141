"""What a forked child does before it executes a PostgreSQL program."""

import ctypes
import os
import signal
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sitewright.kit.embedded.account import Account
from sitewright.kit.parent_death import end_with_parent

CLONE_NEWNS = 0x00020000
MS_BIND, MS_REC, MS_SLAVE = 0x1000, 0x4000, 1 << 19
PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 47, 4

_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Mount:
    """A bind mount of the server's folder, visible only to the server, at a path that its account can access."""

    source: Path
    target: Path

    def enter(self) -> None:
        _check(_libc.unshare(CLONE_NEWNS))
        # Slave: mounts made here stay invisible outside, and unmounts outside propagate here.
        _check(_libc.mount(None, b"/", None, MS_REC | MS_SLAVE, None))
        _check(_libc.mount(os.fsencode(self.source), os.fsencode(self.target), None, MS_BIND, None))


@dataclass(frozen=True)
class ChildSetup:
    """A `preexec_fn`: system calls only, since it runs between fork and exec."""

    account: Account
    mount: Mount | None
    parent: int

    def __call__(self) -> None:
        _protect_from_oom_killer()
        if self.mount is not None:
            self.mount.enter()
        self.account.become()
        # PostgreSQL needs none of the unit's AmbientCapabilities, and with them other commands of the same user could
        # not recognize the server: the kernel hides /proc/<pid>/cwd of a process with more capabilities than theirs.
        _libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        # PostgreSQL shuts down fast when our process is killed. Set last: changing the account resets it.
        end_with_parent(self.parent, signal.SIGINT)


def _protect_from_oom_killer() -> None:
    # Losing the postmaster closes every connection; its backends reset themselves to 0 (PG_OOM_ADJUST_FILE).
    # Only a privileged process may do this, so an error is ignored.
    with suppress(OSError):
        descriptor = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
        try:
            os.write(descriptor, b"-900")
        finally:
            os.close(descriptor)


def _check(result: int) -> None:
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
