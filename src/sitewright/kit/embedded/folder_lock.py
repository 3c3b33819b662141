import fcntl
import os
from pathlib import Path

from sitewright.kit.embedded.errors import FolderInUse
from sitewright.kit.embedded.waiting import wait_until

CHECK_SECONDS = 1
"""Longer than `is_held` takes, which holds a shared lock for a moment."""
_held: set[int] = set()


class FolderLock:
    """An exclusive lock on a data folder, held by the process that runs its server; the kernel releases it."""

    def __init__(self, path: Path, *, patient: bool = False) -> None:
        """`patient`: retry briefly, for a lock that other processes check with `is_held`."""
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        _held.add(self._descriptor)
        try:
            is_ours = wait_until(self._try_lock, CHECK_SECONDS if patient else 0, pause=0.02)
            if is_ours:
                os.ftruncate(self._descriptor, 0)
                os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)
        except BaseException:
            self.release()
            raise
        if not is_ours:
            holder = os.pread(self._descriptor, 20, 0).decode(errors="replace").strip() or "unknown"
            self.release()
            raise FolderInUse(
                f"{path.parent} is in use by another process of Sitewright (process id {holder})."
                " Stop that one first, or choose another SITEWRIGHT_DATA_DIR."
            )

    @staticmethod
    def is_held(path: Path) -> bool:
        """Whether a process holds the lock. Checks use shared locks, so they do not mistake each other for a holder."""
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
        return False

    def _try_lock(self) -> bool:
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def release(self) -> None:
        _held.discard(self._descriptor)
        os.close(self._descriptor)


def _close_in_child() -> None:
    # A forked child shares the lock through its copy of the descriptor and would keep it after our exit.
    while _held:
        os.close(_held.pop())


os.register_at_fork(after_in_child=_close_in_child)
