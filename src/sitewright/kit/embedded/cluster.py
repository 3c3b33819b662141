"""The database cluster on disk: created once, atomically."""

import os
import secrets

from sitewright.kit.embedded.errors import EmbeddedPostgresError
from sitewright.kit.embedded.layout import Layout
from sitewright.kit.embedded.private_files import staging_folder, sync_folder, write_private_file
from sitewright.kit.embedded.programs import Programs

OWNER = "sitewright_owner"
DATABASE = "sitewright"

INITDB_OPTIONS = (
    f"--username={OWNER}",
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=builtin",  # the same sort order on every system, independent of its C library
    "--builtin-locale=C.UTF-8",
    "--data-checksums",
    "--no-instructions",
)


def ensure_cluster(layout: Layout, programs: Programs) -> None:
    if (layout.cluster / "PG_VERSION").exists():
        read_password(layout)
        return
    password = _make_password(layout)
    account = programs.account
    with staging_folder(layout.folder, account) as staging:
        password_file, cluster = staging / "password", staging / "data"
        write_private_file(password_file, password, uid=account.uid, gid=account.gid)
        data_option = f"--pgdata={programs.inside(cluster)}"
        programs.run("initdb", [*INITDB_OPTIONS, f"--pwfile={programs.inside(password_file)}", data_option])
        _create_database(programs, programs.inside(cluster))
        cluster.rename(layout.cluster)
    sync_folder(layout.folder)


def read_password(layout: Layout) -> str:
    try:
        password = layout.password.read_text(encoding="ascii")
    except FileNotFoundError:
        password = ""
    if not password:
        raise EmbeddedPostgresError(
            f"The password of the embedded PostgreSQL is missing: {layout.password}. "
            "It is written at the first start; restore it from a backup of the data folder."
        )
    return password


def _make_password(layout: Layout) -> str:
    password = secrets.token_urlsafe(32)
    write_private_file(layout.password, password, uid=os.geteuid(), gid=os.getegid())
    return password


def _create_database(programs: Programs, cluster: str) -> None:
    # Before the rename, so that a finished cluster always has its database.
    arguments = ["--single", "-D", cluster, "-c", "exit_on_error=on", "postgres"]
    programs.run("postgres", arguments, stdin=f"CREATE DATABASE {DATABASE}\n".encode())
