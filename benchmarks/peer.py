"""Runs a reference of `benchmarks/peers` as a uvicorn server of one process, on the service's own database."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.peers import DATABASE_VARIABLE, FOLDER_VARIABLE
from benchmarks.processes import free_port, running
from benchmarks.service import Service

PROJECT = Path(__file__).resolve().parent.parent


@contextmanager
def running_peer(name: str, service: Service, *, ready_path: str) -> Iterator[str]:
    """The URL of the reference that the module `benchmarks.peers.<name>` contains as `app`."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    server = [sys.executable, "-m", "uvicorn", f"benchmarks.peers.{name}:app"]
    options = ["--port", str(port), "--loop", "uvloop", "--http", "httptools"]
    quiet = ["--no-access-log", "--no-server-header", "--no-proxy-headers", "--log-level", "warning"]
    with running(
        [*server, *options, *quiet],
        environment=os.environ | {DATABASE_VARIABLE: service.database_url, FOLDER_VARIABLE: str(service.folder)},
        folder=PROJECT,
        log=service.folder / f"{name}.log",
        ready_url=url + ready_path,
    ):
        yield url
