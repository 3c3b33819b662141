"""Faults without killed processes: exhausted connections, a stalled database, clients that never finish."""

import asyncio
import os
import resource
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from functools import partial

import pytest

from tests.chaos.stage import (
    journal_of,
    limit,
    open_clients,
    postmaster_of,
    process_tree,
    publish_shop,
    report,
    resident_mib,
    visiting,
)
from tests.http.test_client_hello import HELLO
from tests.support.customers import Customer
from tests.support.depth import DEEP, share
from tests.support.eventually import eventually
from tests.support.journal import OF_OUR_OWN, Journal
from tests.support.service import Service, owner_of

CONNECTIONS = 2
WAITING = 40
STALL_SECONDS = share(2, 5)
SLOW_SOCKETS = share(200, 1000)
"""Per listener, of three."""
USUAL_OPEN_FILES = 1024
ROUNDS = share(3, 20)
MOST_GROWTH_MIB = 64
DISCONNECTED_WITHIN = 60.0
"""The timeout for headers is 30 s."""


def raise_own_open_files_limit() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 16384)), hard))


@contextmanager
def default_open_files_limit() -> Iterator[None]:
    """Processes started in this context have the default limit of open files."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(before[1], USUAL_OPEN_FILES), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.fixture(scope="module")
async def service(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Service]:
    settings = {"workers": 1, "edge_processes": 2, "database_connections": CONNECTIONS, "database_wait_seconds": 1}
    running = Service(tmp_path_factory.mktemp("faults") / "var", **settings)
    try:
        with default_open_files_limit():
            await running.start()
        yield running
    finally:
        await running.stop()


@pytest.fixture(scope="module")
async def customer(service: Service) -> AsyncIterator[Customer]:
    async with open_clients(service, 1) as [client]:
        yield await publish_shop(service, client)


def memory_of(service: Service) -> dict[int, float]:
    """Memory of the service's own processes; those of the database share theirs."""
    return {pid: resident_mib(pid) for pid, name in service.children().items() if "postgres" not in name}


def check_memory(before: dict[int, float], after: dict[int, float]) -> None:
    assert set(before) == set(after), "a process ended or started meanwhile"
    grown = {pid: round(after[pid] - before[pid], 1) for pid in before}
    report(f"memory grew by {sorted(grown.values())} MiB")
    assert max(grown.values()) < MOST_GROWTH_MIB


async def test_exhausted_connections_are_503_until_they_are_free(service: Service, customer: Customer) -> None:
    """As many requests as there are connections wait for a lock; all others get 503 with Retry-After."""
    async with open_clients(service, 1) as [client], owner_of(service) as rows:
        before = memory_of(service)
        async with visiting(service, customer):
            async with rows.transaction():
                await rows.execute("lock table users in access exclusive mode")
                calls = [asyncio.create_task(client.get(f"/users/{customer.user_ref}")) for _ in range(WAITING)]
                await eventually(lambda: sum(call.done() for call in calls) == WAITING - CONNECTIONS)
                refused = [call.result() for call in calls if call.done()]
            assert {(each.status_code, each.headers["retry-after"]) for each in refused} == {(503, "2")}
            served = [await call for call in calls]
        assert sorted({each.status_code for each in served}) == [200, 503]
        assert (await client.get(f"/users/{customer.user_ref}")).status_code == 200
        check_memory(before, memory_of(service))


async def test_requests_wait_for_a_paused_database(service: Service, customer: Customer) -> None:
    journal = journal_of(service)
    async with open_clients(service, 4) as clients:
        before = memory_of(service)
        async with visiting(service, customer), journal.kept_by(clients):
            await eventually(lambda: journal.acknowledged > 5)
            await pause_database(service)
            held = journal.acknowledged
            await eventually(partial(has_more_writes, journal, held), within=limit(5))
        check_memory(before, memory_of(service))
        async with owner_of(service) as rows:
            await journal.check(rows)
    report(f"a stall of {STALL_SECONDS} s: heard {dict(journal.heard)}")
    assert set(journal.heard) - OF_OUR_OWN <= {"200", "201", "503"}


def has_more_writes(journal: Journal, held: int) -> bool:
    return journal.acknowledged > held + 4


async def pause_database(service: Service) -> None:
    """Stop all processes of PostgreSQL for a while; the postmaster first, so that it starts no other process."""
    postmaster = postmaster_of(service)
    os.kill(postmaster, signal.SIGSTOP)
    stopped = process_tree(postmaster)
    try:
        send_signal(signal.SIGSTOP, stopped[1:])
        await asyncio.sleep(STALL_SECONDS)
    finally:
        send_signal(signal.SIGCONT, stopped[::-1])


def send_signal(number: signal.Signals, pids: list[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):  # some of the server's helpers come and go
            os.kill(pid, number)


class SlowClient:
    """A client that sends a byte now and then, and never completes its request."""

    def __init__(self, port: int, beginning: bytes) -> None:
        self._port = port
        self._left = iter(beginning)
        self.is_disconnected = False

    async def connect(self) -> None:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)

    async def send_a_byte(self) -> None:
        try:
            self._writer.write(bytes([next(self._left, ord("a"))]))
            await self._writer.drain()
        except OSError:
            self.is_disconnected = True
        self.is_disconnected |= self._reader.at_eof()

    def close(self) -> None:
        self._writer.transport.abort()


def slow_clients(service: Service) -> list[SlowClient]:
    plain = b"GET / HTTP/1.1\r\nHost: shop.example\r\nX-Slow: "
    ports = {"api_port": plain, "site_port": plain, "site_tls_port": HELLO[:200]}
    return [
        SlowClient(int(str(service.settings[name])), beginning)
        for name, beginning in ports.items()
        for _ in range(SLOW_SOCKETS)
    ]


async def test_slow_clients_do_not_delay_others(service: Service, customer: Customer) -> None:
    raise_own_open_files_limit()
    journal = journal_of(service)
    async with open_clients(service, 2) as clients:
        before = memory_of(service)
        slow = slow_clients(service)
        async with visiting(service, customer) as visits, journal.kept_by(clients):
            for caller in slow:
                await caller.connect()
            for _ in range(ROUNDS):
                await asyncio.gather(*(caller.send_a_byte() for caller in slow))
                written = journal.acknowledged
                await eventually(partial(has_more_writes, journal, written))
            during = memory_of(service)
            if DEEP:
                await eventually(partial(all_are_disconnected, slow), within=DISCONNECTED_WITHIN)
        for caller in slow:
            caller.close()
    report(f"{len(slow)} slow callers, {visits.seen[200]} visits, the slowest {visits.slowest:.2f} s; {journal.heard}")
    check_memory(before, during)
    assert set(journal.heard) - OF_OUR_OWN <= {"200", "201"}


async def all_are_disconnected(slow: list[SlowClient]) -> bool:
    await asyncio.gather(*(caller.send_a_byte() for caller in slow))
    await asyncio.sleep(1)
    return all(caller.is_disconnected for caller in slow)
