"""The operating-system account that the server runs under: PostgreSQL refuses to run as root."""

import os
import pwd
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sitewright.kit.embedded.errors import RUN_ELSEWHERE, EmbeddedPostgresError

UNPRIVILEGED = ("postgres", "nobody")
FAILED = 255


@dataclass(frozen=True)
class Account:
    uid: int
    gid: int
    name: str

    @property
    def is_ours(self) -> bool:
        return self.uid == os.geteuid()

    def become(self) -> None:
        if not self.is_ours:
            os.setgroups([])
            os.setgid(self.gid)
            os.setuid(self.uid)

    def first_inaccessible(self, paths: Sequence[Path], access: int) -> Path | None:
        """The first of the paths that this account may not access (os.R_OK, os.X_OK)."""

        def position_of_inaccessible() -> int:
            self.become()
            return next((n for n, path in enumerate(paths, 1) if not os.access(path, access)), 0)

        position = run_in_child(position_of_inaccessible)
        if position == FAILED:
            raise EmbeddedPostgresError(
                f"PostgreSQL does not run as root, and root may not become the account {self.name!r} here: "
                + RUN_ELSEWHERE
            )
        return paths[position - 1] if position else None


def choose_account(cluster: Path) -> Account:
    if os.geteuid() != 0:
        return _account(os.geteuid(), os.getegid())
    if cluster.is_dir() and (owner := cluster.stat()).st_uid != 0:
        # The owner of existing data stays its account, even if a `postgres` account was added since.
        return _account(owner.st_uid, owner.st_gid)
    for name in UNPRIVILEGED:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(entry.pw_uid, entry.pw_gid, name)
    raise EmbeddedPostgresError(
        "PostgreSQL does not run as root, and this system has neither a `postgres` nor a `nobody` account: "
        + RUN_ELSEWHERE
    )


def run_in_child(function: Callable[[], int]) -> int:
    """The function's result (0 to 254), from a forked child in which it may drop privileges."""
    child = os.fork()
    if child == 0:
        result = FAILED
        try:
            result = function()
        finally:
            os._exit(result)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _account(uid: int, gid: int) -> Account:
    try:
        name = pwd.getpwuid(uid).pw_name
    except KeyError:
        name = f"uid {uid}"
    return Account(uid, gid, name)
