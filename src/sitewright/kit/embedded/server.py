"""Starts and stops the postmaster as our child process."""

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

from sitewright.kit.embedded.errors import EmbeddedPostgresError
from sitewright.kit.embedded.layout import Layout
from sitewright.kit.embedded.processes import recorded_postmaster
from sitewright.kit.embedded.programs import Programs
from sitewright.kit.embedded.server_log import open_server_log, reason_in
from sitewright.kit.embedded.waiting import do_nothing, wait_until

# Everything else keeps PostgreSQL's default, in particular durability (fsync, full_page_writes).
SERVER_SETTINGS = {
    "cluster_name": "sitewright",
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "password_encryption": "scram-sha-256",
    "shared_buffers": "128MB",
    "wal_buffers": "32MB",  # else small commits wait while a large one is written to disk
    "idle_in_transaction_session_timeout": "60s",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_min_messages": "warning",
    "log_error_verbosity": "terse",  # else unique violations are logged with the name that exists
    "log_checkpoints": "off",
}

MIN_CONNECTIONS = 500
START_SECONDS = 600  # a crash recovery replays the write-ahead log first; one that is ended begins again from its start
MEMORY_RELEASE_SECONDS = 10
STOP_SECONDS = 30
FORCE_SECONDS = 10
MEMORY_STILL_IN_USE = "pre-existing shared memory block"


def start_server(
    layout: Layout,
    programs: Programs,
    socket_folder: Path,
    max_connections: int = MIN_CONNECTIONS,
    on_wait: Callable[[], None] = do_nothing,
) -> subprocess.Popen[bytes]:
    """Start the server and return once it accepts connections."""
    started: list[subprocess.Popen[bytes]] = []
    arguments = _arguments(layout, programs, socket_folder, max_connections)

    def try_start() -> bool:
        """False: try again, since killed processes of an earlier server may hold its shared memory for a moment."""
        try:
            started.append(_start_once(layout, programs, arguments, on_wait))
        except EmbeddedPostgresError as error:
            if MEMORY_STILL_IN_USE in str(error):
                return False
            raise
        return True

    if not wait_until(try_start, MEMORY_RELEASE_SECONDS, pause=0.2, on_wait=on_wait):
        raise EmbeddedPostgresError(
            f"The embedded PostgreSQL did not start: processes of an earlier one still use {layout.cluster}. "
            f"End them, then start again. Its log is {layout.log}."
        )
    return started[0]


def end_server(process: subprocess.Popen[bytes]) -> None:
    """Stop the server, with a stronger signal each time it does not end in time."""
    for next_signal, seconds in (
        (signal.SIGINT, STOP_SECONDS),
        (signal.SIGQUIT, FORCE_SECONDS),
        (signal.SIGKILL, None),
    ):
        process.send_signal(next_signal)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            continue
        return


def _start_once(
    layout: Layout, programs: Programs, arguments: list[str], on_wait: Callable[[], None]
) -> subprocess.Popen[bytes]:
    log = open_server_log(layout.log, programs.account)
    log_offset = os.fstat(log).st_size
    try:
        process = programs.start("postgres", arguments, stdin=subprocess.DEVNULL, output=log)
    finally:
        os.close(log)
    try:
        _await_ready(process, layout, log_offset, on_wait)
    except BaseException:
        end_server(process)
        raise
    return process


def _arguments(layout: Layout, programs: Programs, socket_folder: Path, max_connections: int) -> list[str]:
    settings = SERVER_SETTINGS | {
        "unix_socket_directories": programs.inside(socket_folder),
        "max_connections": str(max_connections),
    }
    options = [option for name, value in settings.items() for option in ("-c", f"{name}={value}")]
    return ["-D", programs.inside(layout.cluster), *options]


def _await_ready(
    process: subprocess.Popen[bytes], layout: Layout, log_offset: int, on_wait: Callable[[], None]
) -> None:
    def is_ready_or_ended() -> bool:
        postmaster = recorded_postmaster(layout.cluster)
        is_ready = postmaster is not None and postmaster.pid == process.pid and postmaster.is_ready
        return is_ready or process.poll() is not None

    if not wait_until(is_ready_or_ended, START_SECONDS, on_wait=on_wait):
        raise EmbeddedPostgresError(
            f"The embedded PostgreSQL was not ready after {START_SECONDS} seconds. Its log is {layout.log}."
        )
    if process.poll() is not None:
        log = layout.log.read_bytes()[log_offset:].decode(errors="replace")
        raise EmbeddedPostgresError(
            f"The embedded PostgreSQL did not start: {reason_in(log)}. Its log is {layout.log}."
        )
