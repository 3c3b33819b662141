import fcntl
import os
from pathlib import Path

from sitewright.kit.embedded.errors import FolderInUse

_held: set[int] = set()


class FolderLock:
    """Held by the one process that runs the server of a data folder; gone when it ends, in whatever way."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        _held.add(self._descriptor)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)
        except BlockingIOError:
            holder = os.pread(self._descriptor, 20, 0).decode(errors="replace").strip() or "unknown"
            self.release()
            raise FolderInUse(
                f"{path.parent} is in use by another process of Sitewright (process id {holder})."
                " Stop that one first, or choose another SITEWRIGHT_DATA_DIR."
            ) from None
        except BaseException:
            self.release()
            raise

    def release(self) -> None:
        _held.discard(self._descriptor)
        os.close(self._descriptor)


def _let_go_in_child() -> None:
    # A forked child shares the lock through its copy of the descriptor and would keep it after our death.
    while _held:
        os.close(_held.pop())


os.register_at_fork(after_in_child=_let_go_in_child)
