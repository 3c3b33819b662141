"""Ends a child process with its parent, also when the parent is killed."""

import ctypes
import os
import signal

PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


def end_with_parent(parent: int, number: signal.Signals) -> None:
    """Have the kernel send this signal when the parent's thread that started us ends; exit if it already has."""
    if _libc.prctl(PR_SET_PDEATHSIG, number, 0, 0, 0) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    if os.getppid() != parent:
        os._exit(1)
