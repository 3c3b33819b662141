"""Files for operators, in folders that others may write to as well."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def replacing(file: Path, mode: int = 0o600) -> Iterator[BinaryIO]:
    """A new file that takes the place of `file` once it is written whole, or is gone when that fails.

    It has a random name at first and is opened with O_EXCL and O_NOFOLLOW, so nobody who may write to the folder can
    have it written through a symbolic link to somewhere else. A link in the place of `file` is replaced, not followed.
    """
    descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.", suffix=".partial")
    draft = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as opened:
            os.fchmod(descriptor, mode)
            yield opened
            opened.flush()
            os.fsync(descriptor)
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)
