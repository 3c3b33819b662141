"""What a freshly forked child does before it becomes a PostgreSQL program."""

import ctypes
import os
import signal
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sitewright.kit.embedded.account import Account

CLONE_NEWNS = 0x00020000
MS_BIND, MS_REC, MS_SLAVE = 0x1000, 0x4000, 1 << 19
PR_SET_PDEATHSIG = 1

_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Mount:
    """The server's folder, shown at a place its account can enter, to the server alone."""

    source: Path
    target: Path

    def enter(self) -> None:
        _check(_libc.unshare(CLONE_NEWNS))
        # Slave: nothing mounted here shows outside, and what is unmounted outside is not kept busy by us.
        _check(_libc.mount(None, b"/", None, MS_REC | MS_SLAVE, None))
        _check(_libc.mount(os.fsencode(self.source), os.fsencode(self.target), None, MS_BIND, None))


@dataclass(frozen=True)
class ChildSetup:
    """A `preexec_fn`: system calls only, since it runs between fork and exec."""

    account: Account
    mount: Mount | None
    parent: int

    def __call__(self) -> None:
        _spare_from_memory_killer()
        if self.mount is not None:
            self.mount.enter()
        self.account.become()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        # PostgreSQL shuts down fast when our process is killed. The change of account would have undone this.
        _check(_libc.prctl(PR_SET_PDEATHSIG, signal.SIGINT, 0, 0, 0))
        if os.getppid() != self.parent:
            os._exit(1)


def _spare_from_memory_killer() -> None:
    # Losing the postmaster costs every connection; its backends return to 0 by PG_OOM_ADJUST_FILE.
    # Only a privileged process may do this, so refusal is no error.
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
