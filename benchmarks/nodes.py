"""Separate nodes that run one part each, on the service's database."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from benchmarks.processes import free_port, running
from benchmarks.service import Service
from sitewright.settings import PREFIX


class EdgeNode(msgspec.Struct, frozen=True):
    port: int
    tls_port: int
    log: Path


class ApiNode(msgspec.Struct, frozen=True):
    url: str
    log: Path


@contextmanager
def running_edge_node(service: Service, name: str, *, processes: int = 1) -> Iterator[EdgeNode]:
    """Start the node and wait until it responds over https."""
    folder = _folder(service, name)
    node = EdgeNode(free_port(), free_port(), folder / "edge.log")
    settings = {"edge_processes": processes, "site_port": node.port, "site_tls_port": node.tls_port}
    with running(
        [_command(), "edge"],
        environment=_environment(service, folder, settings),
        folder=folder,
        log=node.log,
        ready_url=f"https://127.0.0.1:{node.tls_port}",
        status=404,
    ):
        yield node


@contextmanager
def running_api_node(service: Service, name: str) -> Iterator[ApiNode]:
    """A node with one API process."""
    folder = _folder(service, name)
    port = free_port()
    node = ApiNode(f"http://127.0.0.1:{port}", folder / "api.log")
    with running(
        [_command(), "api"],
        environment=_environment(service, folder, {"workers": 1, "api_port": port}),
        folder=folder,
        log=node.log,
        ready_url=f"{node.url}/health/ready",
    ):
        yield node


def _command() -> str:
    return str(Path(sys.executable).with_name("sitewright"))


def _folder(service: Service, name: str) -> Path:
    """The node's data dir, with the master key of the service."""
    folder = service.folder / f"node-{name}"
    folder.mkdir()
    shutil.copy(service.folder / "master.key", folder / "master.key")
    return folder


def _environment(service: Service, folder: Path, settings: dict[str, int]) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    chosen = {"data_dir": folder, "database_url": service.database_url} | settings
    return inherited | {f"{PREFIX}{name.upper()}": str(value) for name, value in chosen.items()}
