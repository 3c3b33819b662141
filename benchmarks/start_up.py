"""How long `sitewright serve` takes until it is ready, against a bare uvicorn and the same PostgreSQL without it.

The first start creates the database cluster and all tables; the next one finds them.
"""

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from benchmarks.figures import Figure, Goal
from benchmarks.measurement import Measurement
from benchmarks.processes import free_port, running
from benchmarks.service import Service
from sitewright.kit.embedded import EmbeddedPostgres
from sitewright.settings import PREFIX

ROUNDS = 3
TWO_CORES = {"workers": 2, "edge_processes": 2}
FIRST = Goal("bare uvicorn and PostgreSQL / first start of everything", None)
NEXT = Goal("bare uvicorn and PostgreSQL / next start of everything", None)
BARE_APP = """
async def app(scope, receive, send):
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"ready"})
"""


def measure(service: Service) -> list[Figure]:
    folder = service.folder / "start-up"
    folder.mkdir()
    (folder / "bare_app.py").write_text(BARE_APP)
    bare: list[tuple[float, float]] = []
    ours: list[tuple[float, float]] = []
    for _ in range(ROUNDS):
        bare.append(_first_and_next(folder, _start_bare))
        ours.append(_first_and_next(folder, _start_everything))
    return [
        _compared(goal, [each[place] for each in bare], [each[place] for each in ours])
        for place, goal in enumerate((FIRST, NEXT))
    ]


@contextmanager
def running_everything(folder: Path, **settings: object) -> Iterator[int]:
    """`sitewright serve` without the demo; its process id."""
    port = free_port()
    ports = {"data_dir": folder / "var", "api_port": port, "site_port": free_port(), "site_tls_port": free_port()}
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    chosen = {f"{PREFIX}{name.upper()}": str(value) for name, value in (ports | settings).items()}
    command = [str(Path(sys.executable).with_name("sitewright")), "serve"]
    with running(
        command,
        environment=inherited | chosen,
        folder=folder,
        log=folder / "serve.log",
        ready_url=f"http://127.0.0.1:{port}/health/ready",
    ) as pid:
        yield pid


def _first_and_next(folder: Path, start: Callable[[Path], float]) -> tuple[float, float]:
    shutil.rmtree(folder / "var", ignore_errors=True)
    return start(folder), start(folder)


def _compared(goal: Goal, bare: Sequence[float], ours: Sequence[float]) -> Figure:
    return goal.measured(median(bare) / median(ours), f"{median(bare):.1f} s and {median(ours):.1f} s")


def _start_everything(folder: Path) -> float:
    started = time.monotonic()
    with running_everything(folder, **TWO_CORES):
        return time.monotonic() - started


def _start_bare(folder: Path) -> float:
    started = time.monotonic()
    server = EmbeddedPostgres(folder / "var")
    server.start()
    port = free_port()
    try:
        with running(
            [sys.executable, "-m", "uvicorn", "bare_app:app", "--port", str(port)],
            environment=dict(os.environ),
            folder=folder,
            log=folder / "bare.log",
            ready_url=f"http://127.0.0.1:{port}/",
        ):
            return time.monotonic() - started
    finally:
        server.stop()


MEASUREMENT = Measurement([FIRST, NEXT], measure)
