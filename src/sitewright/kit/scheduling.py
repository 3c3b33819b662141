"""Standing back: whoever works in the background lets everybody else on the machine go first (decision 0032).

Nothing is imported here but the standard library: the process that hashes passwords starts with it.
"""

import ctypes
import os
import platform
import struct
from contextlib import suppress
from pathlib import Path

SLICE_NANOSECONDS = 100_000  # the shortest there is: where it is let on all the same, others wait the least
SCHED_SETATTR = {"x86_64": 314, "aarch64": 274}
SCHED_ATTR = struct.Struct("=IIQiIQQQ")  # size, policy, flags, niceness, priority, run time, deadline, period


def stand_back(niceness: int, pid: int = 0) -> bool:
    """This process, or another one of ours. Where the system does not have it, or refuses, nothing happens.

    Linux weighs sessions against each other before it weighs their processes, so that a session is made to stand back
    too where it is the process's own; of one that it shares, only the process. Without privileges it does so for one
    session in a tenth of a second. False: that has passed too soon, try again later.
    """
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, pid, niceness)
    if platform.system() == "Linux" and (call := SCHED_SETATTR.get(platform.machine())) is not None:
        attributes = SCHED_ATTR.pack(SCHED_ATTR.size, os.SCHED_OTHER, 0, niceness, 0, SLICE_NANOSECONDS, 0, 0)
        ctypes.CDLL(None).syscall(call, pid, attributes, 0)
    try:
        if os.getsid(pid) == (pid or os.getpid()):
            Path(f"/proc/{pid or 'self'}/autogroup").write_text(str(niceness))
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


def allowed_cores() -> list[int]:
    """The cores that are allowed to this process, in their order; none where the system does not tell."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def keep_to(cores: list[int], pid: int) -> None:
    """All threads of a process of ours. Where it is gone, or no core is named, nothing happens."""
    with suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir() if cores else ():
            with suppress(OSError):
                os.sched_setaffinity(int(thread.name), cores)
