"""What the service uses at one moment."""

import contextlib
import re
import time
from pathlib import Path

import httpx
import msgspec

from tests.chaos.stage import postmaster_of, process_tree
from tests.support.service import Service, owner_of

_OVERDUE = re.compile(r'^sitewright_oldest_due_seconds\{kind="([^"]+)"\} ([0-9.]+)$', re.MULTILINE)
_TABLES = """
select format('%I.%I', n.nspname, c.relname), pg_total_relation_size(c.oid) from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
 where c.relkind = 'r' and n.nspname in ('public', 'jobs') order by 1
"""
_CONNECTIONS = "select count(*) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()"


class Table(msgspec.Struct, frozen=True):
    bytes: int
    """With its indexes."""
    rows: int


class Sample(msgspec.Struct, frozen=True):
    at: float
    memory: dict[str, int]
    """By part: bytes that its processes have allocated, without shared memory and files."""
    files: dict[str, int]
    """By part: open files and sockets."""
    connections: int
    """To the database."""
    tables: dict[str, Table]
    log_bytes: int


async def take_sample(service: Service) -> Sample:
    processes = _parts(service)
    async with owner_of(service) as rows:
        tables = {
            name: Table(size, await rows.fetchval(f"select count(*) from {name}"))
            for name, size in await rows.fetch(_TABLES)
        }
        connections: int = await rows.fetchval(_CONNECTIONS)
    return Sample(
        at=time.monotonic(),
        memory={part: sum(map(_allocated, pids)) for part, pids in processes.items()},
        files={part: sum(map(_open_files, pids)) for part, pids in processes.items()},
        connections=connections,
        tables=tables,
        log_bytes=service.log.stat().st_size,
    )


async def overdue_now(service: Service) -> dict[str, float]:
    """By kind of due work: the seconds since its oldest item was due."""
    async with httpx.AsyncClient(trust_env=False) as client:
        metrics = (await client.get(f"{service.api_url}/metrics", timeout=60)).raise_for_status().text
    return {kind: float(seconds) for kind, seconds in _OVERDUE.findall(metrics)}


def _parts(service: Service) -> dict[str, list[int]]:
    """The processes of each part."""
    alive = set(process_tree(service.process.pid))
    parts = {part: [pid for pid in service.pids(part) if pid in alive] for part in ("api", "worker", "edge")}
    return parts | {"PostgreSQL": process_tree(postmaster_of(service))}


def _allocated(pid: int) -> int:
    """0 for a process that has ended meanwhile."""
    with contextlib.suppress(OSError):
        for line in (Path("/proc") / str(pid) / "smaps_rollup").read_text().splitlines():
            if line.startswith("Anonymous:"):
                return int(line.split()[1]) * 1024
    return 0


def _open_files(pid: int) -> int:
    with contextlib.suppress(OSError):
        return sum(1 for _ in (Path("/proc") / str(pid) / "fd").iterdir())
    return 0
