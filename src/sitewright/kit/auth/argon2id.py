"""What the hashing processes run: argon2id with the parameters in force, and nothing else of the service."""

import multiprocessing
import os
import signal
import threading

from argon2 import PasswordHasher, Type
from argon2.exceptions import VerificationError

HASHER = PasswordHasher(memory_cost=19 * 1024, time_cost=2, parallelism=1, type=Type.ID)
NICENESS = 5
"""Added to that of the service: hashing takes long anyway, and other requests should not wait for it."""


def hash_password(hasher: PasswordHasher, password: bytes) -> str:
    return hasher.hash(password)


def verify_password(password_hash: bytes, password: bytes) -> bool:
    """A malformed hash matches no password."""
    try:
        return HASHER.verify(password_hash, password)
    except (VerificationError, ValueError):
        return False


def start_process() -> None:
    """Lower the priority, and ignore signals to the whole group (Ctrl-C, systemd): the parent ends this process."""
    os.nice(NICENESS)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    """Without this, the process would wait for work forever if its parent is killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
