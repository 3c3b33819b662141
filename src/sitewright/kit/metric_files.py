"""The files that metrics are shared through, with room on the disk reserved before it is written to.

The library writes to them as to memory. Where the disk has no room for that, the system ends the process; so what finds
no room is counted in this process alone.
"""

import os
from contextlib import suppress
from pathlib import Path

from prometheus_client import values
from prometheus_client.mmap_dict import MmapedDict

FIRST_BYTES = 1 << 16
MOST_BYTES_OF_VALUE = 4096
Value = tuple[float, float]
"""And the time it was set."""


class ReservedFile(MmapedDict):
    def __init__(self, filename: str) -> None:
        self._unshared: dict[str, Value] = {}
        self._positions: dict[str, int] = {}
        self._is_shared = _reserve(filename)
        if self._is_shared:
            super().__init__(filename)  # type: ignore[no-untyped-call]

    def read_value(self, key: str) -> Value:
        if not self._has_place(key):
            return self._unshared.setdefault(key, (0.0, 0.0))
        return super().read_value(key)  # type: ignore[no-any-return, no-untyped-call]

    def write_value(self, key: str, value: float, timestamp: float) -> None:
        if not self._has_place(key):
            self._unshared[key] = (value, timestamp)
            return
        super().write_value(key, value, timestamp)  # type: ignore[no-untyped-call]

    def close(self) -> None:
        if self._is_shared:
            super().close()  # type: ignore[no-untyped-call]

    def _has_place(self, key: str) -> bool:
        if key in self._positions:
            return True
        if not self._is_shared or key in self._unshared:
            return False
        is_within: bool = self._used + MOST_BYTES_OF_VALUE <= self._capacity
        return is_within or self._reserve_more()

    def _reserve_more(self) -> bool:
        """Ahead of the library, which then finds the file long enough and goes on in it."""
        try:
            os.posix_fallocate(self._f.fileno(), 0, self._capacity * 2)
        except OSError:
            os.ftruncate(self._f.fileno(), self._capacity)
            return False
        return True


def _reserve(filename: str) -> bool:
    """A file without room in it is no file of metrics, and would be in the way of whoever reads them."""
    try:
        with Path(filename).open("ab") as file:
            os.posix_fallocate(file.fileno(), 0, max(FIRST_BYTES, os.fstat(file.fileno()).st_size))
    except OSError:
        with suppress(OSError):
            Path(filename).unlink(missing_ok=True)
        return False
    return True


def use_reserved_files() -> None:
    """The library knows no other way to be told."""
    values.MmapedDict = ReservedFile  # type: ignore[assignment, attr-defined]
