"""A separate node that runs only the edge server, on the service's database."""

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


@contextmanager
def running_edge_node(service: Service, name: str, *, processes: int = 1) -> Iterator[EdgeNode]:
    """Start the node and wait until it responds over https."""
    folder = service.folder / f"node-{name}"
    folder.mkdir()
    shutil.copy(service.folder / "master.key", folder / "master.key")
    node = EdgeNode(free_port(), free_port(), folder / "edge.log")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    with running(
        [str(Path(sys.executable).with_name("sitewright")), "edge"],
        environment=inherited
        | {
            f"{PREFIX}DATA_DIR": str(folder),
            f"{PREFIX}DATABASE_URL": service.database_url,
            f"{PREFIX}EDGE_PROCESSES": str(processes),
            f"{PREFIX}SITE_PORT": str(node.port),
            f"{PREFIX}SITE_TLS_PORT": str(node.tls_port),
        },
        folder=folder,
        log=node.log,
        ready_url=f"https://127.0.0.1:{node.tls_port}",
        status=404,
    ):
        yield node
