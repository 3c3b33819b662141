"""Which ports the processes of an installation listen on, as locks in its data folder.

`sitewright doctor` can thus tell its own installation from another one that uses the same port.
"""

import fcntl
import os
from contextlib import suppress
from pathlib import Path


def claim_port(data_dir: Path, port: int) -> None:
    """Hold a shared lock until this process and its children end; without a writable folder there is none."""
    with suppress(OSError):
        data_dir.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(_file(data_dir, port), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)


def is_port_claimed(data_dir: Path, port: int) -> bool:
    try:
        descriptor = os.open(_file(data_dir, port), os.O_RDWR | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _file(data_dir: Path, port: int) -> Path:
    return data_dir / f"port-{port}.lock"
