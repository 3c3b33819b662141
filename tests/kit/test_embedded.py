"""The embedded server in ordinary life: started, used, shared, stopped."""

import os
import signal
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from sitewright.kit.embedded import EmbeddedPostgres, EmbeddedPostgresError
from tests.kit.embedded_support import ask, new_folder, servers_of, status_of


@pytest.fixture
def data_dir() -> Iterator[Path]:
    with new_folder(0o755) as folder:
        yield folder / "var"


@pytest.fixture
def embedded(data_dir: Path) -> Iterator[EmbeddedPostgres]:
    embedded = EmbeddedPostgres(data_dir)
    yield embedded
    embedded.stop()


def test_first_start_gives_a_safe_database(embedded: EmbeddedPostgres) -> None:
    embedded.start()

    assert ask(embedded.url, "SELECT current_user || '@' || current_database()") == "sitewright_owner@sitewright"
    assert ask(embedded.url, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
    settings = {
        "server_encoding": "UTF8",
        "listen_addresses": "",
        "fsync": "on",
        "data_checksums": "on",
        "max_connections": "200",
        "TimeZone": "UTC",
        "idle_in_transaction_session_timeout": "1min",
    }
    assert {name: ask(embedded.url, f"SHOW {name}") for name in settings} == settings
    assert ask(embedded.url, "SELECT lower('ÄÖ')") == "äö"


def test_only_its_password_opens_it(embedded: EmbeddedPostgres, data_dir: Path) -> None:
    embedded.start()

    password = (data_dir / "postgres.password").read_text()
    rules = "SELECT string_agg(DISTINCT auth_method, ',') FROM pg_hba_file_rules"
    assert ask(embedded.url, rules) == "scram-sha-256"
    with pytest.raises(Exception, match="password authentication failed"):
        ask(embedded.url.replace(password, "wrong"), "SELECT 1")


def test_files_are_closed_to_others(embedded: EmbeddedPostgres, data_dir: Path) -> None:
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


def test_server_gets_neither_our_environment_nor_our_terminal_nor_our_blocked_signals(
    embedded: EmbeddedPostgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGDATA", "/nowhere")
    monkeypatch.setenv("PGOPTIONS", "-c max_connections=7")
    ours = {signal.SIGINT, signal.SIGTERM, signal.SIGCHLD, signal.SIGWINCH}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ours)
    try:
        embedded.start()
        assert embedded.pid is not None
        assert b"PGDATA" not in Path(f"/proc/{embedded.pid}/environ").read_bytes()
        assert b"PGOPTIONS" not in Path(f"/proc/{embedded.pid}/environ").read_bytes()
        assert os.getsid(embedded.pid) == embedded.pid
        blocked = int(status_of(embedded.pid, "SigBlk"), 16)
        assert not any(blocked & 1 << number - 1 for number in ours)
        embedded.stop()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def test_data_survives_stop_and_start(embedded: EmbeddedPostgres, data_dir: Path) -> None:
    embedded.start()
    ask(embedded.url, "CREATE TABLE kept AS SELECT 42 AS answer")
    embedded.stop()
    assert embedded.pid is None
    assert servers_of(data_dir) == []

    embedded.start()

    assert ask(embedded.url, "SELECT answer FROM kept") == 42


def test_second_start_on_the_same_folder_is_refused(embedded: EmbeddedPostgres, data_dir: Path) -> None:
    embedded.start()

    with pytest.raises(EmbeddedPostgresError, match=rf"already run by .* \(process id {os.getpid()}\)\. Stop"):
        EmbeddedPostgres(data_dir).start()

    assert ask(embedded.url, "SELECT 1") == 1


def test_attaching_to_a_running_server(embedded: EmbeddedPostgres, data_dir: Path) -> None:
    assert EmbeddedPostgres.running(data_dir) is None
    embedded.start()

    attached = EmbeddedPostgres.running(data_dir)

    assert attached is not None
    assert attached.pid is None
    assert attached.url == embedded.url
    attached.stop()
    assert ask(attached.url, "SELECT 1") == 1
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

    assert ask(embedded.url, "SELECT 1") == 1
    embedded.stop()
    embedded.start()

    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


@pytest.mark.parametrize("name", ["d" * 120, "comma,separated"])
def test_folder_whose_socket_could_not_be_named(embedded: EmbeddedPostgres, data_dir: Path, name: str) -> None:
    unnameable = EmbeddedPostgres(data_dir / name)
    unnameable.start()
    elsewhere = Path((data_dir / name / "postgres" / "run-elsewhere").read_text())
    assert ask(unnameable.url, "SELECT 1") == 1
    assert stat.S_IMODE(elsewhere.stat().st_mode) == 0o700
    attached = EmbeddedPostgres.running(data_dir / name)
    assert attached is not None
    assert attached.url == unnameable.url

    unnameable.stop()

    assert not elsewhere.exists()


def test_grown_log_is_put_aside(embedded: EmbeddedPostgres, data_dir: Path) -> None:
    embedded.start()
    embedded.stop()
    log = data_dir / "postgres" / "server.log"
    os.truncate(log, 11 * 1024 * 1024)

    embedded.start()

    assert log.stat().st_size < 10_000
    assert log.with_name("server.log.1").stat().st_size == 11 * 1024 * 1024


def test_failed_start_says_why_and_where_the_log_is(embedded: EmbeddedPostgres, data_dir: Path) -> None:
    embedded.start()
    embedded.stop()
    version = data_dir / "postgres" / "data" / "PG_VERSION"
    version.write_text("12\n")

    with pytest.raises(EmbeddedPostgresError, match=r"incompatible with server\. Its log is .*/server\.log"):
        embedded.start()

    version.write_text("18\n")
    embedded.start()


def test_lost_password_is_named(embedded: EmbeddedPostgres, data_dir: Path) -> None:
    embedded.start()
    embedded.stop()
    (data_dir / "postgres.password").unlink()

    with pytest.raises(EmbeddedPostgresError, match=r"password .* is missing: .*/postgres\.password"):
        embedded.start()
