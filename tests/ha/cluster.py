"""PostgreSQL on three machines with Debian's Patroni, etcd and PgBouncer, configured as the guide says."""

import asyncio
import os
import shutil
import signal
import tempfile
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import asyncpg
import httpx

from tests.chaos.stage import process_tree, report
from tests.ha.guide import block, replaced, with_addresses
from tests.ha.network import Machine, Network, as_postgres, network, ports
from tests.support.debian_postgres import installed_binaries
from tests.support.eventually import eventually
from tests.support.http_clients import http_client
from tests.support.timeouts import HANG_SECONDS

POSTGRES, POOLER, REST = 5432, 6432, 8008
ETCD = (2379, 2380)
STREAMING = "select count(*) from pg_stat_replication where state = 'streaming'"
SUPERUSER = ("postgres", "superuser-password")


class DatabaseNode:
    """Patroni with its PostgreSQL, and a PgBouncer, on one machine."""

    def __init__(self, name: str, machine: Machine, folder: Path) -> None:
        self.name = name
        self.machine = machine
        self.folder = folder
        self.ports = dict(zip((POSTGRES, POOLER, REST), ports(3), strict=True))
        self._processes: list[asyncio.subprocess.Process] = []
        self._stopped: list[int] = []

    def address(self, port: int) -> str:
        return f"{self.machine.address}:{self.ports[port]}"

    async def start(self) -> None:
        await self._run("patroni", "patroni", str(self.folder / "patroni.yml"))
        await self._run("pgbouncer", "/usr/sbin/pgbouncer", "-q", str(self.folder / "pgbouncer.ini"))

    async def _run(self, name: str, *command: str) -> None:
        with (self.folder / f"{name}.log").open("ab") as log:
            self._processes.append(
                await asyncio.create_subprocess_exec(
                    *self.machine.prefix, *as_postgres(), *command, stdout=log, stderr=log, cwd="/"
                )
            )

    def _pids(self) -> list[int]:
        """Patroni's own processes first, so that it restarts nothing. PostgreSQL is not among its descendants."""
        roots = [process.pid for process in self._processes if process.returncode is None]
        with suppress(OSError, ValueError, IndexError):
            roots.append(int((self.folder / "data" / "postmaster.pid").read_text().split()[0]))
        return list(dict.fromkeys(pid for root in roots for pid in process_tree(root)))

    async def kill(self) -> None:
        _send(signal.SIGKILL, self._pids())
        for process in self._processes:
            await process.wait()
        self._processes.clear()

    async def stall(self) -> None:
        _send(signal.SIGSTOP, self._pids())
        self._stopped = self._pids()
        _send(signal.SIGSTOP, self._stopped)  # also those that were just being started

    async def resume(self) -> None:
        _send(signal.SIGCONT, self._stopped)
        self._stopped = []

    async def cut_off(self) -> None:
        self.machine.cut_off()

    async def reconnect(self) -> None:
        self.machine.reconnect()

    async def open(self, database: str = "postgres") -> "asyncpg.Connection[asyncpg.Record]":
        """As superuser, who sees every brand."""
        host, _, port = self.address(POSTGRES).partition(":")
        user, password = SUPERUSER
        return await asyncpg.connect(
            host=host, port=int(port), user=user, password=password, database=database, timeout=5
        )


class Cluster:
    def __init__(self, nodes: list[DatabaseNode], etcd: str) -> None:
        self.nodes = nodes
        self._etcd = etcd

    def in_guide(self, text: str) -> str:
        """A text of the guide, with the addresses of these nodes."""
        return with_addresses(text, self._address_of)

    def _address_of(self, number: int, port: int) -> str:
        return self._etcd if port in ETCD else self.nodes[number - 1].address(port)

    async def members(self) -> dict[str, str]:
        """Role by name of the nodes that run, as the first node reports that responds."""
        async with http_client(timeout=2.0) as client:
            for node in self.nodes:
                with suppress(httpx.HTTPError, KeyError, ValueError):
                    response = await client.get(f"http://{node.address(REST)}/cluster")
                    members: list[dict[str, Any]] = response.json()["members"]
                    return {each["name"]: each["role"] for each in members if each["state"] in {"running", "streaming"}}
        return {}

    async def is_healthy(self) -> bool:
        """All nodes run, and one standby is synchronous: the next fault loses nothing."""
        roles = list((await self.members()).values())
        return len(roles) == len(self.nodes) and {"leader", "sync_standby"} <= set(roles)

    async def streaming_standbys(self) -> int:
        connection = await (await self.leader()).open()
        try:
            return int(await connection.fetchval(STREAMING))
        finally:
            await connection.close()

    async def leader(self) -> DatabaseNode:
        async def find() -> list[DatabaseNode]:
            members = await self.members()
            return [node for node in self.nodes if members.get(node.name) == "leader"]

        [found] = await eventually(find)
        assert isinstance(found, DatabaseNode)
        return found

    async def execute(self, script: str) -> None:
        """As superuser on the primary."""
        connection = await (await self.leader()).open()
        for statement in filter(None, map(str.strip, script.split(";"))):
            await connection.execute(statement)
        await connection.close()


async def promoted_at(candidates: Iterable[DatabaseNode]) -> float:
    """Wait until one of these standbys accepts writes; returns when."""
    waiting = [asyncio.create_task(_promoted_at(node)) for node in candidates]
    done, _ = await asyncio.wait(waiting, timeout=HANG_SECONDS, return_when=asyncio.FIRST_COMPLETED)
    for task in waiting:
        task.cancel()
    [first, *_] = done
    return first.result()


async def _is_promoted(connection: "asyncpg.Connection[asyncpg.Record]") -> bool:
    return not await connection.fetchval("select pg_is_in_recovery()", timeout=HANG_SECONDS)


async def _promoted_at(node: DatabaseNode) -> float:
    while True:
        with suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
            connection = await node.open()
            try:
                await eventually(partial(_is_promoted, connection))
            finally:
                connection.terminate()
            return time.monotonic()
        await asyncio.sleep(0.5)


@asynccontextmanager
async def patroni_cluster() -> AsyncIterator[Cluster]:
    folder = Path(tempfile.mkdtemp(prefix="patroni-", dir="/tmp"))
    with network() as connected:
        async with AsyncExitStack() as stack:
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            etcd = await _start_etcd(stack, folder, connected)
            nodes = []
            for number, machine in enumerate(connected.machines, 1):
                own = folder / f"db{number}"
                own.mkdir(mode=0o700)
                nodes.append(DatabaseNode(f"db{number}", machine, own))
            cluster = Cluster(nodes, etcd)
            for node in nodes:
                _configure(cluster, node, connected)
                stack.push_async_callback(node.kill)
            _give_to_postgres(folder)
            try:
                await asyncio.gather(*(node.start() for node in nodes))
                await eventually(cluster.is_healthy)
                yield cluster
            except BaseException:
                _report_logs(folder)
                raise


def _report_logs(folder: Path) -> None:
    for log in sorted(folder.glob("**/*.log")):
        report(f"--- {log.relative_to(folder)}\n{log.read_text(errors='replace')[-3000:]}")


async def _start_etcd(stack: AsyncExitStack, folder: Path, connected: Network) -> str:
    """One member instead of three: no fault hits it."""
    client, peer = (f"{connected.here}:{port}" for port in ports(2))
    text = with_addresses(block("ini", "ETCD_NAME"), lambda _number, port: client if port == ETCD[0] else peer)
    settings = dict(line.split("=", 1) for line in text.splitlines())
    settings["ETCD_INITIAL_CLUSTER"] = settings["ETCD_INITIAL_CLUSTER"].split(",")[0]
    settings["ETCD_DATA_DIR"] = str(folder / "etcd")
    with (folder / "etcd.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            "etcd", env=os.environ | settings, stdout=log, stderr=log, cwd="/"
        )

    async def end() -> None:
        process.kill()
        await process.wait()

    stack.push_async_callback(end)
    return client


def _configure(cluster: Cluster, node: DatabaseNode, connected: Network) -> None:
    number = int(node.name[2:])
    # The guide's files are those of the first machine; on the others, their own address and name.
    patroni = block("yaml", "scope: sitewright").replace("192.0.2.11:8008", f"192.0.2.1{number}:8008")
    patroni = patroni.replace("192.0.2.11:5432", f"192.0.2.1{number}:5432")
    changes = {
        "name: db1": f"name: {node.name}",
        "/var/lib/postgresql/15/sitewright": str(node.folder / "data"),
        "/usr/lib/postgresql/15/bin": str(installed_binaries()),
        "/var/lib/postgresql/.pgpass-patroni": str(node.folder / "pgpass"),
        "/var/run/postgresql": str(node.folder),
        "192.0.2.0/24": connected.allowed,
    }
    (node.folder / "patroni.yml").write_text(replaced(cluster.in_guide(patroni), changes))
    changes = {
        "host=192.0.2.11 port=5432": f"host={node.machine.address} port={node.ports[POSTGRES]}",
        "listen_addr = 192.0.2.11": f"listen_addr = {node.machine.address}",
        "listen_port = 6432": f"listen_port = {node.ports[POOLER]}",
        "/etc/pgbouncer/userlist.txt": str(node.folder / "userlist.txt"),
    }
    (node.folder / "pgbouncer.ini").write_text(replaced(block("ini", "[pgbouncer]"), changes))
    (node.folder / "userlist.txt").write_text(block("text", '"sitewright_login"'))


def _give_to_postgres(folder: Path) -> None:
    if os.geteuid() != 0:
        return
    shutil.chown(folder, "postgres", "postgres")
    for path in folder.glob("db*/**"):
        shutil.chown(path, "postgres", "postgres")
    for path in folder.glob("db*/*"):
        shutil.chown(path, "postgres", "postgres")


def _send(number: signal.Signals, pids: list[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)
