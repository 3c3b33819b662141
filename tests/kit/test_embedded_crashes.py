"""The embedded server after every kind of crash."""

import ctypes
import os
import pwd
import signal
import subprocess
import threading
from contextlib import suppress
from pathlib import Path

import asyncpg
import pytest

from sitewright.kit.embedded import EmbeddedPostgres, processes
from tests.kit.embedded_support import (
    await_started,
    eventually,
    new_folder,
    processes_below,
    query,
    servers_of,
    start_owner_process,
)


def kill_postmaster(embedded: EmbeddedPostgres) -> None:
    assert embedded.pid is not None
    os.kill(embedded.pid, signal.SIGKILL)
    os.waitpid(embedded.pid, 0)  # as the supervisor does, which reaps every child of its own


def query_until_disconnected(url: str, sql: str) -> None:
    with suppress(asyncpg.PostgresError, asyncpg.InternalClientError, OSError):
        query(url, sql)


def test_killed_postmaster_is_replaced_and_data_is_intact(embedded: EmbeddedPostgres) -> None:
    embedded.start()
    url, first = embedded.url, embedded.pid
    query(url, "CREATE TABLE kept_by_us AS SELECT 42 AS number")
    busy = threading.Thread(target=query_until_disconnected, args=(url, "SELECT pg_sleep(60)"))
    busy.start()
    eventually(lambda: query(url, "SELECT count(*) FROM pg_stat_activity WHERE query ~ '^SELECT pg_sleep'"))
    kill_postmaster(embedded)
    waits: list[None] = []

    embedded.restart_after_death(lambda: waits.append(None))

    busy.join()
    assert waits
    assert embedded.url == url
    assert embedded.pid != first
    assert query(url, "SELECT number FROM kept_by_us") == 42


def test_restart_of_a_running_server_changes_nothing(embedded: EmbeddedPostgres) -> None:
    embedded.start()
    first = embedded.pid

    embedded.restart_after_death()

    assert embedded.pid == first


def test_stop_after_the_postmaster_crashed(embedded: EmbeddedPostgres, data_dir: Path) -> None:
    embedded.start()
    kill_postmaster(embedded)

    embedded.stop()

    assert servers_of(data_dir) == []


def test_killed_owner_leaves_no_server_behind(embedded: EmbeddedPostgres, data_dir: Path) -> None:
    with start_owner_process(data_dir) as owner:
        await_started(owner)
        attached = EmbeddedPostgres.running(data_dir)
        assert attached is not None
        query(attached.url, "CREATE TABLE kept AS SELECT 42 AS number")
        owner.kill()
    eventually(lambda: not servers_of(data_dir))

    embedded.start()

    assert query(embedded.url, "SELECT number FROM kept") == 42


def test_start_right_after_the_owner_was_killed(embedded: EmbeddedPostgres, data_dir: Path) -> None:
    with start_owner_process(data_dir) as owner:
        await_started(owner)
        owner.kill()

    embedded.start()

    assert query(embedded.url, "SELECT 1") == 1


def test_orphan_that_does_not_end_by_itself_is_ended(
    embedded: EmbeddedPostgres, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "GRACE_SECONDS", 0.2)
    monkeypatch.setattr(processes, "FORCE_SECONDS", 2)
    with start_owner_process(data_dir) as owner:
        await_started(owner)
        orphan = int((data_dir / "postgres" / "data" / "postmaster.pid").read_text().split()[0])
        os.kill(orphan, signal.SIGSTOP)
        owner.kill()

    embedded.start()

    assert orphan not in servers_of(data_dir)
    assert query(embedded.url, "SELECT 1") == 1


def test_process_id_in_the_lock_files_belongs_to_something_else(embedded: EmbeddedPostgres, data_dir: Path) -> None:
    embedded.start()
    account = pwd.getpwuid((data_dir / "postgres").stat().st_uid)
    kept = (data_dir / "postgres" / "data" / "postmaster.pid").read_text().splitlines()[1:]
    embedded.stop()
    # Of the server's own account: PostgreSQL knows by itself that it cannot be somebody else's process.
    user = account.pw_uid if os.geteuid() == 0 else None
    with subprocess.Popen(["sleep", "60"], user=user) as foreign:
        for lock_file in ("data/postmaster.pid", "run/.s.PGSQL.5432.lock"):
            path = data_dir / "postgres" / lock_file
            path.write_text("\n".join([str(foreign.pid), *kept]) + "\n")
            os.chown(path, account.pw_uid, account.pw_gid)
            path.chmod(0o600)
        assert EmbeddedPostgres.running(data_dir) is None

        embedded.start()

        assert query(embedded.url, "SELECT 1") == 1
        assert foreign.poll() is None
        foreign.kill()


def test_half_written_lock_file(embedded: EmbeddedPostgres, data_dir: Path) -> None:
    embedded.start()
    embedded.stop()
    (data_dir / "postgres" / "data" / "postmaster.pid").write_text("")

    embedded.start()

    assert query(embedded.url, "SELECT 1") == 1


def test_shared_memory_still_in_use_is_waited_for(embedded: EmbeddedPostgres, data_dir: Path) -> None:
    embedded.start()
    postmaster_file = data_dir / "postgres" / "data" / "postmaster.pid"
    memory = int(postmaster_file.read_text().splitlines()[6].split()[1])
    log = data_dir / "postgres" / "server.log"
    ready, signal_ready = os.pipe()
    holder = os.fork()
    if holder == 0:
        ctypes.CDLL(None).shmat(memory, None, 0)
        os.write(signal_ready, b"!")
        eventually(lambda: b"pre-existing shared memory block" in log.read_bytes())
        os._exit(0)
    os.read(ready, 1)
    kill_postmaster(embedded)

    embedded.restart_after_death()

    assert os.waitstatus_to_exitcode(os.waitpid(holder, 0)[1]) == 0
    assert query(embedded.url, "SELECT 1") == 1


def test_first_start_that_was_killed_half_way_is_repaired() -> None:
    with new_folder(0o755) as data_dir:
        folder = data_dir / "postgres"
        with start_owner_process(data_dir) as owner:
            eventually(lambda: list(folder.glob("new-*/data/base/1/PG_VERSION")))
            owner.kill()
        assert not (folder / "data").exists()
        eventually(lambda: not processes_below(folder))
        embedded = EmbeddedPostgres(data_dir)

        embedded.start()

        assert query(embedded.url, "SELECT 1") == 1
        assert list(folder.glob("new-*")) == []
        embedded.stop()
