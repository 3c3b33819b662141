"""Atomic writing of files in folders that other users may write to."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def replacing(file: Path, mode: int = 0o600) -> Iterator[BinaryIO]:
    """A temporary file that replaces `file` once it is complete, and is deleted if that fails.

    It has a random name and is opened with O_EXCL and O_NOFOLLOW, so that other users of the folder cannot redirect the
    write with a symbolic link. If `file` is a symbolic link, it is replaced, not followed.
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
