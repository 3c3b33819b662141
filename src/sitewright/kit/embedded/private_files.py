"""Files and folders that only one account can read, written atomically."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sitewright.kit.embedded.account import Account

STAGING_PREFIX = "new-"


def give(descriptor: int, *, uid: int, gid: int) -> None:
    """Only root can give files away; others own what they create, and a sandbox may forbid them the system call."""
    if os.geteuid() == 0:
        os.fchown(descriptor, uid, gid)


def give_folder(path: Path, account: Account) -> None:
    if os.geteuid() == 0:
        os.chown(path, account.uid, account.gid, follow_symlinks=False)


def make_private_folder(path: Path, account: Account) -> None:
    path.mkdir(mode=0o700, exist_ok=True)
    give_folder(path, account)
    path.chmod(0o700)


def write_private_file(path: Path, text: str, *, uid: int, gid: int) -> None:
    # Never write to an existing name: in another account's folder it could be a symlink to a file of ours.
    draft = path.with_name(path.name + ".fresh")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        give(file.fileno(), uid=uid, gid=gid)
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def staging_folder(parent: Path, account: Account) -> Iterator[Path]:
    """A temporary folder on the same file system, whose content is renamed into place when complete."""
    staging = Path(tempfile.mkdtemp(prefix=STAGING_PREFIX, dir=parent))
    try:
        give_folder(staging, account)
        yield staging
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def remove_abandoned_staging(parent: Path) -> None:
    for abandoned in parent.glob(STAGING_PREFIX + "*"):
        shutil.rmtree(abandoned, ignore_errors=True)
