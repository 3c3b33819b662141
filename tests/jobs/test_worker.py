"""Worker processes run jobs: retries, dead letters, SIGTERM, and workers that are killed."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from datetime import timedelta
from functools import partial
from pathlib import Path

import asyncpg
import msgspec
import pytest

from sitewright.kit.jobs import JobKind, Loop, PeriodicTask, store
from sitewright.kit.jobs.queue import queries_on
from sitewright.kit.jobs.service import FailedJobNotFound, retry_failed
from sitewright.kit.jobs.store import Retried
from sitewright.kit.jobs.worker import HEARTBEAT, run_worker
from sitewright.kit.resources import Resources
from tests.support.cast import OWN_BRAND, TESTER
from tests.support.eventually import eventually
from tests.support.forked import ForkedProcess, fork_command
from tests.support.probe_jobs import FAIL, KILL, WRITE, Note, journal_of
from tests.support.timeouts import HANG_SECONDS

Worker = ForkedProcess | asyncio.subprocess.Process
StartWorker = Callable[..., Awaitable[Worker]]
WORK_SECONDS = 0.5
"""How long the task still runs when the worker fails; a worker that did not wait would end earlier."""
HOSTILE_NAMES = {"FUNCTION": "f", "CHANNEL": "c", "QUEUE_TABLE": "q", "SCHEDULES_TABLE": "s", "PGQUEUER_PREFIX": "p_"}
"""PgQueuer reads some of them when it is imported, which a worker that is not forked does itself."""


@pytest.fixture
async def start_worker(
    resources: Resources, database_url: str, journal: Path, clean: None
) -> AsyncIterator[StartWorker]:
    started: list[Worker] = []
    module, arguments = "tests.support.probe_jobs", (database_url, resources.settings.data_dir)

    async def start(*, is_forked: bool = True) -> Worker:
        variables, command = os.environ | HOSTILE_NAMES, [sys.executable, "-m", module, *arguments]
        if is_forked:
            started.append(await fork_command(*arguments, env=variables, module=module))
        else:
            started.append(await asyncio.create_subprocess_exec(*command, env=variables))
        return started[-1]

    yield start
    for process in started:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


@pytest.fixture
def journal(resources: Resources) -> Path:
    path = journal_of(resources.settings)
    path.write_text("")
    return path


async def enqueue(resources: Resources, kind: JobKind[Note], text: str, **options: float) -> None:
    async with resources.database.transaction(OWN_BRAND) as tx:
        await kind.enqueue(tx, Note(text, **options))


async def failed(resources: Resources) -> list[store.ListedJob]:
    async with resources.database.connection() as connection:
        return await store.list_jobs(connection, failed_only=True, limit=10)


async def test_a_job_of_a_rolled_back_transaction_never_runs(
    resources: Resources, start_worker: StartWorker, journal: Path
) -> None:
    with pytest.raises(ZeroDivisionError):
        async with resources.database.transaction(OWN_BRAND) as tx:
            await WRITE.enqueue(tx, Note("rolled back"))
            raise ZeroDivisionError
    await enqueue(resources, WRITE, "committed")
    await start_worker(is_forked=False)
    await eventually(journal.read_text)
    assert journal.read_text() == "committed\n"


async def test_a_job_is_enqueued_exactly_as_pgqueuer_does(resources: Resources, clean: None) -> None:
    """`kit.jobs.store` has a statement of its own, so that API processes need not import PgQueuer."""
    after = timedelta(minutes=5)
    async with resources.database.transaction(OWN_BRAND) as tx:
        for key in ("ours", "ours"):  # the second is skipped
            await WRITE.enqueue(tx, Note("hello"), after=after, dedupe_key=key)
        for key in ("theirs", "theirs"):
            body = msgspec.json.encode(Note("hello"))
            await queries_on(tx).enqueue(WRITE.name, body, execute_after=after, dedupe_key=key, on_conflict="skip")
        [ours, theirs] = await tx.fetch("select * from jobs.queue order by id")
        [our_log, their_log] = await tx.fetch("select * from jobs.log order by id")
    assert _without(ours, "id", "dedupe_key") == _without(theirs, "id", "dedupe_key")
    assert _without(our_log, "id", "job_id") == _without(their_log, "id", "job_id")
    assert (our_log["job_id"], their_log["job_id"]) == (ours["id"], theirs["id"])


def _without(row: asyncpg.Record, *names: str) -> dict[str, object]:
    return {name: value for name, value in row.items() if name not in names}


async def test_a_job_waiting_already_is_not_queued_twice(
    resources: Resources, start_worker: StartWorker, journal: Path
) -> None:
    for _ in range(3):
        async with resources.database.transaction(OWN_BRAND) as tx:
            await WRITE.enqueue(tx, Note("once"), dedupe_key="the same")
    await enqueue(resources, WRITE, "last")
    await start_worker()
    await eventually(lambda: {"once", "last"} <= {*journal.read_text().split()})
    assert journal.read_text().count("once") == 1


async def test_a_killed_workers_job_runs_again_after_its_last_heartbeat(
    resources: Resources, start_worker: StartWorker, journal: Path
) -> None:
    await enqueue(resources, WRITE, "long", seconds=2)
    worker = await start_worker()
    await eventually(journal.read_text)
    worker.kill()
    await worker.wait()
    await start_worker()
    await eventually(lambda: "long done" in journal.read_text())
    assert journal.read_text() == "long\nlong\nlong done\n"
    assert timedelta(seconds=5) >= HEARTBEAT


async def test_a_job_that_kills_its_worker_is_dead_lettered_after_three_starts(
    resources: Resources, start_worker: StartWorker, journal: Path
) -> None:
    await enqueue(resources, KILL, "killer")
    await enqueue(resources, WRITE, "innocent", seconds=0.5)
    for _ in range(3):
        worker = await start_worker()
        assert await asyncio.wait_for(worker.wait(), HANG_SECONDS) == -signal.SIGKILL
    await start_worker()
    [job] = await eventually(lambda: failed(resources))
    assert job.kind == "probe.kill"
    assert "died 3 times" in (job.reason or "")
    await eventually(lambda: "innocent done" in journal.read_text())
    assert journal.read_text().count("killer") == 3


async def test_a_failed_job_is_kept_and_can_be_retried(
    resources: Resources, start_worker: StartWorker, journal: Path
) -> None:
    await enqueue(resources, FAIL, "clumsy")
    await start_worker()
    [job] = await eventually(lambda: failed(resources))
    assert (job.kind, job.attempts) == ("probe.fail", 1)
    assert "clumsy went wrong" in (job.reason or "")
    assert journal.read_text() == "clumsy\n" * 2
    async with resources.database.transaction(None) as tx:
        with pytest.raises(FailedJobNotFound):
            await retry_failed(tx, TESTER, job.job_id + 1)
        assert await retry_failed(tx, TESTER, job.job_id) == Retried([job.job_id], [])
        audited = await tx.fetchval("select subject_ref from audit_entries where action = 'retry'")
    assert audited == job.job_id
    await eventually(lambda: journal.read_text().count("clumsy") >= 3)


async def test_of_failed_jobs_with_the_same_key_one_is_retried_unless_another_waits(
    resources: Resources, clean: None
) -> None:
    async with resources.database.transaction(None) as tx:
        for key in ("twice", "twice", "again", None, None):
            await WRITE.enqueue(tx, Note("hello"), dedupe_key=key)
            await tx.execute("update jobs.queue set status = 'failed'")
        for key in ("again", None):
            await WRITE.enqueue(tx, Note("hello"), dedupe_key=key)
        queue = "select id, status::text from jobs.queue order by id"
        first, second, third, *others, waiting, last = [row["id"] for row in await tx.fetch(queue)]
        assert await retry_failed(tx, TESTER, None) == Retried([second, *others], [first, third])
        left = await tx.fetch(queue)
        assert [tuple(row) for row in left] == [(job, "queued") for job in (second, *others, waiting, last)]
        logged = await tx.fetch("select job_id from jobs.log where status = 'deleted' order by job_id")
        assert [row["job_id"] for row in logged] == [first, third]


async def test_sigterm_lets_a_running_job_finish(
    resources: Resources, start_worker: StartWorker, journal: Path
) -> None:
    await enqueue(resources, WRITE, "running", seconds=1)
    worker = await start_worker()
    await eventually(journal.read_text)
    await enqueue(resources, WRITE, "left for another")
    worker.terminate()
    assert await asyncio.wait_for(worker.wait(), HANG_SECONDS) == 0
    assert "running done" in journal.read_text()
    await start_worker()
    await eventually(lambda: "left for another" in journal.read_text())
    assert journal.read_text().count("running done") == 1


async def test_a_running_task_is_finished_when_the_queue_fails(
    resources: Resources, database_url: str, clean: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it has claimed would otherwise have to wait for the end of its lease."""
    started, stop_requested, finished = asyncio.Event(), asyncio.Event(), list[str]()
    queue = await resources.database.connect()
    monkeypatch.setattr(resources.database, "connect", partial(asyncio.sleep, 0, queue))

    async def work(_: Resources) -> None:
        started.set()
        await stop_requested.wait()
        await asyncio.sleep(WORK_SECONDS)
        finished.append("finished")

    class PassOn:
        name = "pass on"

        async def run(self, _: Resources, stopping: asyncio.Event) -> None:
            await stopping.wait()
            stop_requested.set()

    loops: list[Loop] = [PeriodicTask("work", 60.0, work), PassOn()]
    worker = asyncio.create_task(run_worker(resources, [WRITE], loops=loops))
    await started.wait()
    owner = await asyncpg.connect(database_url)
    await owner.execute("select pg_terminate_backend($1)", queue.get_server_pid())
    await owner.close()

    await worker

    assert finished == ["finished"]


async def test_schedules_of_former_releases_are_deleted(
    start_worker: StartWorker, owner_connection: "asyncpg.Connection[asyncpg.Record]"
) -> None:
    """Nobody would run them, and they would be overdue for ever. Those that another worker runs stay."""
    await owner_connection.execute(
        "insert into jobs.schedules (expression, entrypoint, next_run) values"
        " ('* * * * *', 'former', now() - interval '2 days'), ('* * * * *', 'of another', now() - interval '1 hour')"
    )
    await start_worker(is_forked=False)

    async def is_deleted() -> bool:
        rows = await owner_connection.fetch("select entrypoint from jobs.schedules order by 1")
        return [row["entrypoint"] for row in rows] == ["of another"]

    await eventually(is_deleted)
