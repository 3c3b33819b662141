"""The memory-mapped files that processes share metrics through, with disk space allocated in advance.

If the disk is full, writing to a memory-mapped file kills the process (SIGBUS); so a metric for which no space can be
allocated is counted in this process only.
"""

import os
from contextlib import suppress
from pathlib import Path

from prometheus_client import values
from prometheus_client.mmap_dict import MmapedDict

INITIAL_BYTES = 1 << 16
MAX_ENTRY_BYTES = 4096
Value = tuple[float, float]
"""The value and the time it was set."""


class ReservedFile(MmapedDict):
    def __init__(self, filename: str) -> None:
        self._unshared: dict[str, Value] = {}
        self._positions: dict[str, int] = {}
        self._is_shared = _reserve(filename)
        if self._is_shared:
            super().__init__(filename)  # type: ignore[no-untyped-call]

    def read_value(self, key: str) -> Value:
        if not self._has_space(key):
            return self._unshared.setdefault(key, (0.0, 0.0))
        return super().read_value(key)  # type: ignore[no-any-return, no-untyped-call]

    def write_value(self, key: str, value: float, timestamp: float) -> None:
        if not self._has_space(key):
            self._unshared[key] = (value, timestamp)
            return
        super().write_value(key, value, timestamp)  # type: ignore[no-untyped-call]

    def close(self) -> None:
        if self._is_shared:
            super().close()  # type: ignore[no-untyped-call]

    def _has_space(self, key: str) -> bool:
        if key in self._positions:
            return True
        if not self._is_shared or key in self._unshared:
            return False
        is_within: bool = self._used + MAX_ENTRY_BYTES <= self._capacity
        return is_within or self._reserve_more()

    def _reserve_more(self) -> bool:
        """Extend the file before the library does, which then uses the allocated space."""
        try:
            os.posix_fallocate(self._f.fileno(), 0, self._capacity * 2)
        except OSError:
            os.ftruncate(self._f.fileno(), self._capacity)
            return False
        return True


def _reserve(filename: str) -> bool:
    """Allocate the initial space; on failure delete the file, since an empty one breaks the reader of all metrics."""
    try:
        with Path(filename).open("ab") as file:
            os.posix_fallocate(file.fileno(), 0, max(INITIAL_BYTES, os.fstat(file.fileno()).st_size))
    except OSError:
        with suppress(OSError):
            Path(filename).unlink(missing_ok=True)
        return False
    return True


def use_reserved_files() -> None:
    """Replace the library's class, which cannot be configured otherwise."""
    values.MmapedDict = ReservedFile  # type: ignore[assignment, attr-defined]
