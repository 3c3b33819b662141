"""Processes killed with SIGKILL under mixed load, compared with the journal of the clients.

A few kills of each in `make test`, thirty in `make chaos`.
"""

import os
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from functools import partial

import asyncpg
import pytest

from tests.chaos.stage import journal_of, limit, open_clients, postmaster_of, report
from tests.support.depth import share
from tests.support.eventually import eventually
from tests.support.journal import OF_OUR_OWN, Journal
from tests.support.service import TWO_OF_EACH, Service, owner_of, running_service
from tests.support.users import OwnerConnection

KILLS, HANDS = share(2, 30), share(3, 6)
WRITES_BETWEEN = share(10, 25)
BACK_WITHIN = 5.0
SUCCESSES = {"200", "201"}
CUT_OFF = {"ReadError", "RemoteProtocolError", "WriteError"}
"""What a client sees when the API process that handles its request is killed: no process is left to respond."""
END_LEASES = "update mails set next_attempt_at = now() where sent_at is null"
"""Mails claimed by a killed worker are sent by another when its lease of five minutes ends; here, immediately."""
Kill = Callable[[Service, int], Awaitable[None]]


@pytest.fixture(scope="module")
async def service(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Service]:
    async with running_service(tmp_path_factory.mktemp("kills") / "var", **TWO_OF_EACH) as running:
        yield running


async def kills(service: Service, kill: Kill) -> Journal:
    """What the clients saw meanwhile, after the check that the database has each write exactly once."""
    journal = journal_of(service)
    async with open_clients(service, HANDS) as clients:
        async with journal.kept_by(clients):
            for number in range(KILLS):
                written = journal.acknowledged
                await eventually(partial(has_written, journal, written + WRITES_BETWEEN))
                await kill(service, number)
        async with owner_of(service) as rows:
            await journal.check(rows)
            await rows.execute(END_LEASES)
            await eventually(partial(all_mails_are_sent, rows))
    report(
        f"{KILLS} kills: {journal.acknowledged} writes acknowledged, {journal.replayed} of them by a repetition; "
        f"heard {dict(journal.heard)}"
    )
    return journal


async def all_mails_are_sent(rows: OwnerConnection) -> bool:
    counts = await rows.fetchrow("select count(*), count(failed_at) from mails where sent_at is null")
    assert counts is not None
    assert counts[1] == 0
    return bool(counts[0] == 0)


def has_written(journal: Journal, count: int) -> bool:
    return journal.acknowledged >= count


async def kill_api(service: Service, number: int) -> None:
    """Kill one of its processes, then both, alternately; clients that connect meanwhile wait at the listener."""
    before = service.pids("api")
    living = [pid for pid in before if pid in service.children()]
    for pid in living[: 1 + number % 2]:
        os.kill(pid, signal.SIGKILL)
    await eventually(lambda: len(service.pids("api")) == len(before) + 1 + number % 2)


async def kill_worker(service: Service, _number: int) -> None:
    before = service.pids("worker")
    with suppress(ProcessLookupError):  # a worker whose queue lost its database ends by itself, and is started again
        os.kill(before[-1], signal.SIGKILL)
    await eventually(lambda: len(service.pids("worker")) > len(before))


class DatabaseKiller:
    def __init__(self) -> None:
        self.back_after: list[float] = []
        """Seconds from when the server accepts connections to when the API reports ready."""

    async def kill(self, service: Service, _number: int) -> None:
        postmaster = postmaster_of(service)
        os.kill(postmaster, signal.SIGKILL)
        await eventually(lambda: postmaster not in service.children())
        await eventually(partial(accepts_connections, service))
        returned = time.monotonic()
        await eventually(service.is_ready, within=limit(BACK_WITHIN))
        self.back_after.append(time.monotonic() - returned)


async def accepts_connections(service: Service) -> bool:
    """Whether the database accepts connections, regardless of the service."""
    try:
        async with owner_of(service):
            return True
    except (AssertionError, OSError, asyncpg.PostgresError):
        return False


async def test_killed_api_processes_lose_and_duplicate_nothing(service: Service) -> None:
    journal = await kills(service, kill_api)
    assert set(journal.heard) - OF_OUR_OWN <= SUCCESSES | CUT_OFF


async def test_clients_do_not_notice_killed_workers(service: Service) -> None:
    journal = await kills(service, kill_worker)
    assert set(journal.heard) - OF_OUR_OWN <= SUCCESSES


async def test_a_killed_database_is_503_with_retry_after_and_nothing_is_lost(service: Service) -> None:
    killer = DatabaseKiller()
    journal = await kills(service, killer.kill)
    assert set(journal.heard) - OF_OUR_OWN <= SUCCESSES | {"503"}
    report(f"back at most {max(killer.back_after):.2f} s after the database's return")
    assert max(killer.back_after) < limit(BACK_WITHIN)
    assert [each for each in service.events() if each["message"].endswith("failed")] == [], "an outage is no bug"


async def test_a_database_that_does_not_start_is_started_again(service: Service) -> None:
    """As on a disk that is full for a while: the service continues, and recovers automatically."""
    control = service.data_dir / "postgres" / "data" / "global" / "pg_control"
    kept = control.with_suffix(".kept")
    control.rename(kept)
    os.kill(postmaster_of(service), signal.SIGKILL)
    await eventually(lambda: does_not_start(service))
    assert not await service.is_ready()
    kept.rename(control)
    await eventually(service.is_ready)


def does_not_start(service: Service) -> bool:
    return any(event["message"].startswith("the database server does not start") for event in service.events())
