"""Runs PostgreSQL's programs under an unprivileged account, with a private mount if it cannot access the files."""

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sitewright.kit.embedded.account import FAILED, Account, choose_account, run_in_child
from sitewright.kit.embedded.binaries import usable_programs
from sitewright.kit.embedded.child_setup import ChildSetup, Mount
from sitewright.kit.embedded.errors import RUN_ELSEWHERE, EmbeddedPostgresError
from sitewright.kit.embedded.layout import Layout
from sitewright.kit.embedded.private_files import make_private_folder, remove_abandoned_staging

# Nothing of the user's environment: a PGDATA or PGOPTIONS in it would change the server's behavior.
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LC_ALL": "C",
    "TZ": "UTC",
    "PG_OOM_ADJUST_FILE": "/proc/self/oom_score_adj",
}
MOUNT_TARGETS = (Path("/mnt"), Path("/media"), Path("/srv"), Path("/opt"))
RUN_SECONDS = 120


@dataclass(frozen=True)
class Programs:
    account: Account
    folder: Path
    mount: Mount | None

    def inside(self, path: Path) -> str:
        """The path as the programs see it."""
        if self.mount is not None and path.is_relative_to(self.mount.source):
            return str(self.mount.target / path.relative_to(self.mount.source))
        return str(path)

    def start(self, program: str, arguments: Sequence[str], *, stdin: int, output: int) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                [self.inside(self.folder / program), *arguments],
                stdin=stdin,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd="/",
                env=ENVIRONMENT,
                start_new_session=True,
                # Popen's own `user=` comes too early: the mount needs root, the parent-death signal the account.
                preexec_fn=ChildSetup(self.account, self.mount, os.getpid()),  # noqa: PLW1509
            )
        except subprocess.SubprocessError as error:
            raise EmbeddedPostgresError(
                f"PostgreSQL's {program} could not be started under the account {self.account.name!r}."
            ) from error

    def run(self, program: str, arguments: Sequence[str], *, stdin: bytes = b"") -> None:
        with self.start(program, arguments, stdin=subprocess.PIPE, output=subprocess.PIPE) as process:
            try:
                output, _ = process.communicate(stdin, timeout=RUN_SECONDS)
            except subprocess.TimeoutExpired as error:
                process.kill()
                raise EmbeddedPostgresError(
                    f"PostgreSQL's {program} did not finish within {RUN_SECONDS} seconds. Try again."
                ) from error
            except BaseException:
                process.kill()
                raise
        if process.returncode != 0:
            last_line = output.decode(errors="replace").strip().rpartition("\n")[2]
            raise EmbeddedPostgresError(f"PostgreSQL's {program} could not set up the database: {last_line}")


def prepare_programs(layout: Layout) -> Programs:
    account = choose_account(layout.cluster)
    make_private_folder(layout.folder, account)
    make_private_folder(layout.run, account)
    remove_abandoned_staging(layout.folder)
    programs = usable_programs(account, layout.folder)
    return Programs(account, programs, _mount_if_inaccessible(account, layout.folder, programs))


def _mount_if_inaccessible(account: Account, folder: Path, programs: Path) -> Mount | None:
    if account.is_ours:
        return None
    inaccessible = account.first_inaccessible([*reversed(folder.parents), folder], os.X_OK)
    if inaccessible is None:
        return None
    target = next((path for path in MOUNT_TARGETS if path.is_dir() and not programs.is_relative_to(path)), None)
    if target is None or not _mount_is_permitted(mount := Mount(folder, target)):
        raise EmbeddedPostgresError(
            f"Root runs the embedded PostgreSQL under the account {account.name!r}, which cannot enter "
            f"{inaccessible}, and this system permits no private mount that would show it the data. "
            f"Choose a SITEWRIGHT_DATA_DIR outside that folder, {RUN_ELSEWHERE}"
        )
    return mount


def _mount_is_permitted(mount: Mount) -> bool:
    def enter() -> int:
        mount.enter()
        return 0

    return run_in_child(enter) != FAILED
