"""The account the server runs under: PostgreSQL refuses to run as root."""

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

    def first_closed(self, paths: Sequence[Path], access: int) -> Path | None:
        """The first of the paths this account may not use in that way (os.R_OK, os.X_OK)."""

        def position_of_closed_path() -> int:
            self.become()
            return next((n for n, path in enumerate(paths, 1) if not os.access(path, access)), 0)

        answer = ask_child(position_of_closed_path)
        if answer == FAILED:
            raise EmbeddedPostgresError(
                f"PostgreSQL does not run as root, and root may not become the account {self.name!r} here: "
                + RUN_ELSEWHERE
            )
        return paths[answer - 1] if answer else None


def choose_account(cluster: Path) -> Account:
    if os.geteuid() != 0:
        return _account(os.geteuid(), os.getegid())
    if cluster.is_dir() and (owner := cluster.stat()).st_uid != 0:
        # Who created the data goes on serving it, also when a `postgres` account has appeared since.
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


def ask_child(question: Callable[[], int]) -> int:
    """What the function answers (0 to 254) in a forked child, where it may give up its privileges."""
    child = os.fork()
    if child == 0:
        answer = FAILED
        try:
            answer = question()
        finally:
            os._exit(answer)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _account(uid: int, gid: int) -> Account:
    try:
        name = pwd.getpwuid(uid).pw_name
    except KeyError:
        name = f"uid {uid}"
    return Account(uid, gid, name)
