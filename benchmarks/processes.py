"""Starts a server in a separate process, waits until it responds, and stops it with SIGTERM."""

import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx

from benchmarks.figures import MeasurementFailed

START_SECONDS = 120
STOP_SECONDS = 30
SHOWN_LOG_CHARACTERS = 300


@contextmanager
def running(
    command: Sequence[str],
    *,
    environment: Mapping[str, str],
    folder: Path,
    log: Path,
    ready_url: str,
    status: int = 200,
) -> Iterator[int]:
    """Its process id. `status`: the response of `ready_url` once it is ready. Its certificate is not verified."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )
        try:
            _wait_until_ready(process, ready_url, status, log)
            yield process.pid
        finally:
            _stop(process)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def _wait_until_ready(process: subprocess.Popen[bytes], url: str, status: int, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise MeasurementFailed(f"the server for {url} ended with {process.returncode}: {_end_of(log)}")
        if _responds(url, status):
            return
        time.sleep(0.1)
    raise MeasurementFailed(f"{url} did not return {status} within {START_SECONDS} s: {_end_of(log)}")


def _responds(url: str, status: int) -> bool:
    try:
        return httpx.get(url, timeout=START_SECONDS, trust_env=False, verify=False).status_code == status  # noqa: S501
    except httpx.TransportError:
        return False


def _end_of(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace").strip()[-SHOWN_LOG_CHARACTERS:]


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
