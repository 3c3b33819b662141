"""The embedded server in normal operation: start, use, share, stop."""

import os
import shutil
import signal
import stat
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import asyncpg
import pytest

from sitewright.kit.embedded import EmbeddedPostgres, EmbeddedPostgresError
from sitewright.kit.embedded.account import Account
from sitewright.kit.embedded.child_setup import ChildSetup
from tests.kit.embedded_support import (
    await_started,
    eventually,
    query,
    servers_of,
    start_owner_process,
)


@pytest.fixture
def initialized(data_dir: Path) -> Path:
    """A data folder with a cluster whose server is not running."""
    embedded = EmbeddedPostgres(data_dir)
    embedded.start()
    embedded.stop()
    return data_dir


def test_start_creates_a_secure_database(embedded: EmbeddedPostgres) -> None:
    embedded.start()

    assert query(embedded.url, "SELECT current_user || '@' || current_database()") == "sitewright_owner@sitewright"
    assert query(embedded.url, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
    settings = {
        "server_encoding": "UTF8",
        "listen_addresses": "",
        "fsync": "on",
        "data_checksums": "on",
        "max_connections": "500",
        "TimeZone": "UTC",
        "idle_in_transaction_session_timeout": "1min",
    }
    assert {name: query(embedded.url, f"SHOW {name}") for name in settings} == settings
    assert query(embedded.url, "SELECT lower('ÄÖ')") == "äö"


def test_its_log_does_not_quote_rejected_values(embedded: EmbeddedPostgres, data_dir: Path) -> None:
    embedded.start()
    query(embedded.url, "CREATE TABLE people (name text PRIMARY KEY)")
    for _ in range(2):
        with suppress(asyncpg.UniqueViolationError):
            query(embedded.url, "INSERT INTO people SELECT 'Zebe' || 'dee'")
    written = (data_dir / "postgres" / "server.log").read_text()
    assert "people_pkey" in written
    assert "Zebedee" not in written


def test_only_its_password_is_accepted(embedded: EmbeddedPostgres, data_dir: Path) -> None:
    embedded.start()

    password = (data_dir / "postgres.password").read_text()
    rules = "SELECT string_agg(DISTINCT auth_method, ',') FROM pg_hba_file_rules"
    assert query(embedded.url, rules) == "scram-sha-256"
    with pytest.raises(Exception, match="password authentication failed"):
        query(embedded.url.replace(password, "wrong"), "SELECT 1")


def test_files_are_private(embedded: EmbeddedPostgres, data_dir: Path) -> None:
    embedded.start()

    expected = {
        "postgres": 0o700,
        "postgres/data": 0o700,
        "postgres/run": 0o700,
        "postgres/server.log": 0o600,
        "postgres.password": 0o600,
        "postgres.lock": 0o600,
    }
    assert {name: stat.S_IMODE((data_dir / name).stat().st_mode) for name in expected} == expected
    assert (data_dir / "postgres.password").stat().st_uid == os.geteuid()


def test_server_gets_neither_our_environment_nor_our_terminal(
    embedded: EmbeddedPostgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGDATA", "/nowhere")
    monkeypatch.setenv("PGOPTIONS", "-c max_connections=7")

    embedded.start()

    assert embedded.pid is not None
    assert b"PGDATA" not in Path(f"/proc/{embedded.pid}/environ").read_bytes()
    assert b"PGOPTIONS" not in Path(f"/proc/{embedded.pid}/environ").read_bytes()
    assert os.getsid(embedded.pid) == embedded.pid


def test_programs_do_not_inherit_signals_that_the_supervisor_blocks(embedded: EmbeddedPostgres) -> None:
    ours = Account(os.geteuid(), os.getegid(), "ours")
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGCHLD})
    try:
        status = subprocess.run(
            ["cat", "/proc/self/status"],
            preexec_fn=ChildSetup(ours, None, os.getpid()),
            capture_output=True,
            check=True,
        ).stdout
        embedded.start()
        embedded.stop()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    assert b"SigBlk:\t0000000000000000\n" in status


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("setpriv") is None, reason="only root can add capabilities")
def test_programs_do_not_inherit_capabilities_of_the_unit() -> None:
    """Other commands could not recognize a server with more capabilities than theirs."""
    program = (
        "import os, subprocess\n"
        "from sitewright.kit.embedded.account import Account\n"
        "from sitewright.kit.embedded.child_setup import ChildSetup\n"
        "ours = Account(os.geteuid(), os.getegid(), 'ours')\n"
        "subprocess.run(['cat', '/proc/self/status'], preexec_fn=ChildSetup(ours, None, os.getpid()), check=True)\n"
    )
    unit = ["setpriv", "--inh-caps=+net_bind_service", "--ambient-caps=+net_bind_service"]
    inherited = subprocess.run([*unit, "cat", "/proc/self/status"], capture_output=True, check=True).stdout
    status = subprocess.run([*unit, sys.executable, "-c", program], capture_output=True, check=True).stdout
    assert b"CapAmb:\t0000000000000400\n" in inherited
    assert b"CapAmb:\t0000000000000000\n" in status


def test_data_survives_stop_and_start(embedded: EmbeddedPostgres, data_dir: Path) -> None:
    embedded.start()
    query(embedded.url, "CREATE TABLE kept AS SELECT 42 AS number")
    embedded.stop()
    assert embedded.pid is None
    assert servers_of(data_dir) == []

    embedded.start()

    assert query(embedded.url, "SELECT number FROM kept") == 42


def test_second_start_on_the_same_folder_is_rejected(embedded: EmbeddedPostgres, data_dir: Path) -> None:
    embedded.start()

    with pytest.raises(EmbeddedPostgresError, match=rf"in use by .* \(process id {os.getpid()}\)\. Stop"):
        EmbeddedPostgres(data_dir).start()

    assert query(embedded.url, "SELECT 1") == 1


def test_attaching_to_a_running_server(embedded: EmbeddedPostgres, data_dir: Path) -> None:
    assert EmbeddedPostgres.running(data_dir) is None
    embedded.start()

    attached = EmbeddedPostgres.running(data_dir)

    assert attached is not None
    assert attached.pid is None
    assert attached.url == embedded.url
    attached.stop()
    assert query(attached.url, "SELECT 1") == 1
    with pytest.raises(EmbeddedPostgresError, match="Only the process that started"):
        attached.restart_after_death()
    embedded.stop()
    assert EmbeddedPostgres.running(data_dir) is None


def test_forked_child_neither_stops_the_server_nor_keeps_its_lock(embedded: EmbeddedPostgres, data_dir: Path) -> None:
    embedded.start()
    child = os.fork()
    if child == 0:
        embedded.stop()
        os.kill(os.getpid(), signal.SIGSTOP)
        os._exit(0)
    os.waitpid(child, os.WUNTRACED)

    assert query(embedded.url, "SELECT 1") == 1
    embedded.stop()
    embedded.start()

    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


@pytest.mark.parametrize("name", ["d" * 120, "comma,separated"])
def test_folder_whose_socket_path_is_too_long(initialized: Path, name: str) -> None:
    named = initialized.rename(initialized.with_name(name))
    embedded = EmbeddedPostgres(named)
    try:
        embedded.start()
        elsewhere = Path((named / "postgres" / "run-elsewhere").read_text())
        assert query(embedded.url, "SELECT 1") == 1
        assert stat.S_IMODE(elsewhere.stat().st_mode) == 0o700
        attached = EmbeddedPostgres.running(named)
        assert attached is not None
        assert attached.url == embedded.url
    finally:
        embedded.stop()
        named.rename(initialized)
    assert not elsewhere.exists()


def test_socket_folder_of_a_killed_owner_is_removed(initialized: Path, embedded: EmbeddedPostgres) -> None:
    named = initialized.rename(initialized.with_name("d" * 120))
    with start_owner_process(named) as owner:
        await_started(owner)
        abandoned = Path((named / "postgres" / "run-elsewhere").read_text())
        owner.kill()
    eventually(lambda: not servers_of(named))
    assert abandoned.exists()
    named.rename(initialized)

    embedded.start()

    assert not abandoned.exists()
    assert query(embedded.url, "SELECT 1") == 1


def test_large_log_is_rotated(initialized: Path, embedded: EmbeddedPostgres) -> None:
    log = initialized / "postgres" / "server.log"
    os.truncate(log, 11 * 1024 * 1024)

    embedded.start()

    assert log.stat().st_size < 10_000
    assert log.with_name("server.log.1").stat().st_size == 11 * 1024 * 1024


def test_failed_start_says_why_and_where_the_log_is(initialized: Path, embedded: EmbeddedPostgres) -> None:
    version = initialized / "postgres" / "data" / "PG_VERSION"
    version.write_text("12\n")
    try:
        with pytest.raises(EmbeddedPostgresError, match=r"incompatible with server\. Its log is .*/server\.log"):
            embedded.start()
    finally:
        version.write_text("18\n")
    embedded.start()


def test_missing_password_is_reported(initialized: Path, embedded: EmbeddedPostgres) -> None:
    password = initialized / "postgres.password"
    aside = password.rename(initialized / "aside")
    try:
        with pytest.raises(EmbeddedPostgresError, match=r"password .* is missing: .*/postgres\.password"):
            embedded.start()
    finally:
        aside.rename(password)
