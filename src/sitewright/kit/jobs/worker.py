"""The worker: runs jobs and loops until SIGTERM, then drains what is running."""

import asyncio
import dataclasses
import logging
import signal
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any

import msgspec
from pgqueuer import AsyncpgDriver, DatabaseRetryEntrypointExecutor, Job, PgQueuer, RetryRequested
from pgqueuer.executors import EntrypointExecutorParameters
from pgqueuer.models import Context
from pgqueuer.models import Schedule as DueSchedule

from sitewright.kit.db import Database
from sitewright.kit.failures import is_database_unavailable, reason_of
from sitewright.kit.jobs import JobKind, Loop, Schedule, store
from sitewright.kit.jobs.queue import CHANNEL, queries
from sitewright.kit.problems import Unavailable
from sitewright.kit.resources import Resources
from sitewright.kit.waiting import wait_at_most

HEARTBEAT = timedelta(seconds=4)  # a job whose worker sends no heartbeat for this long is run again
POLL = timedelta(seconds=2)  # how often a worker looks for such jobs
RESTART_SECONDS = 1.0  # delay before a failed loop is restarted
DRAIN_SECONDS = 20.0  # for running loops when the queue fails; at SIGTERM a worker waits without limit
BATCH = 10
MAX_STARTS = 3
_log = logging.getLogger("sitewright.worker")


class JobDeadLettered(Exception):
    """The job was started several times and its worker died each time; it waits for `sitewright jobs retry`."""


async def run_worker(
    resources: Resources,
    kinds: Sequence[JobKind[Any]],
    schedules: Sequence[Schedule] = (),
    loops: Sequence[Loop] = (),
) -> None:
    """Returns at SIGTERM, and when the queue has no database, or loses it."""
    try:
        await _run_queue(resources, kinds, schedules, loops)
    except Exception as error:
        if not is_database_unavailable(error):
            raise
        _log.warning("the queue lost its database (%s); this worker ends and is started again", reason_of(error))


async def _run_queue(
    resources: Resources, kinds: Sequence[JobKind[Any]], schedules: Sequence[Schedule], loops: Sequence[Loop]
) -> None:
    """The queue listens on a dedicated connection; jobs use the pool."""
    connection = await resources.database.connect()
    await store.delete_former_schedules(connection, [schedule.name for schedule in schedules])
    driver = AsyncpgDriver(connection)
    queuer = PgQueuer(driver, channel=CHANNEL, queries=queries(driver))
    retry_lock = asyncio.Lock()
    for kind in kinds:
        _register(queuer, kind, resources, retry_lock)
    for schedule in schedules:
        _register_schedule(queuer, schedule, resources)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, queuer.shutdown.set)
    running = [asyncio.create_task(_run_loop(each, resources, queuer.shutdown)) for each in loops]
    try:
        await queuer.run(
            dequeue_timeout=POLL,
            batch_size=BATCH,
            max_concurrent_tasks=BATCH * 2,
            heartbeat_timeout=HEARTBEAT,
        )
        await asyncio.gather(*running)
    finally:
        queuer.shutdown.set()
        await _finish(running)
        connection.terminate()


async def _finish(running: Sequence[asyncio.Task[None]]) -> None:
    """When the queue has failed: let loops finish what they have claimed, which else waits for the end of its lease."""
    try:
        if running:
            await asyncio.wait(running, timeout=DRAIN_SECONDS)
    finally:
        for task in running:
            task.cancel()


async def _run_loop(loop: Loop, resources: Resources, shutdown: asyncio.Event) -> None:
    """Restarts the loop after an error."""
    while not shutdown.is_set():
        try:
            await loop.run(resources, shutdown)
        except Unavailable as away:
            _log.warning("%s: %s", loop.name, away.detail)
        except Exception as error:
            _log.error("%s failed", loop.name, exc_info=error)
        await wait_at_most(shutdown, RESTART_SECONDS)


def _register(queuer: PgQueuer, kind: JobKind[Any], resources: Resources, retry_lock: asyncio.Lock) -> None:
    async def run(job: Job) -> None:
        await kind.run(msgspec.json.decode(job.payload or b"{}", type=kind.payload), resources)

    def executor(parameters: EntrypointExecutorParameters) -> CountingExecutor:
        return CountingExecutor(
            parameters, max_attempts=kind.attempts - 1, database=resources.database, retry_lock=retry_lock
        )

    queuer.entrypoint(kind.name, on_failure="hold", executor_factory=executor)(run)


def _register_schedule(queuer: PgQueuer, schedule: Schedule, resources: Resources) -> None:
    async def run(_due: DueSchedule) -> None:
        await schedule.run(resources)

    queuer.schedule(schedule.name, schedule.expression, clean_old=True)(run)


@dataclasses.dataclass
class CountingExecutor(DatabaseRetryEntrypointExecutor):
    """Counts starts and dead-letters a job that keeps killing its worker; for PgQueuer a crash is no attempt.

    Jobs that were started before run one at a time, so that a crash is counted only for the job that caused it.
    """

    database: Database = dataclasses.field(kw_only=True)
    retry_lock: asyncio.Lock = dataclasses.field(kw_only=True)

    async def execute(self, job: Job, context: Context) -> None:
        try:
            await self._count_and_run(job, context)
        except Unavailable as error:  # no database for counting: not a failure of the job
            raise RetryRequested(delay=timedelta(seconds=1), reason=str(error)) from error

    async def _count_and_run(self, job: Job, context: Context) -> None:
        if await self._starts(job.id) == 0:
            await self._run(job, context)
            return
        async with self.retry_lock:
            if await self._starts(job.id) < MAX_STARTS:
                await self._run(job, context)
                return
        await self._delete_starts(job.id)
        raise JobDeadLettered(f"Its worker died {MAX_STARTS} times while it ran. Fix the cause, then retry it.")

    async def _run(self, job: Job, context: Context) -> None:
        async with self.database.connection() as connection:
            await store.count_start(connection, job.id)
        try:
            await super().execute(job, context)
        finally:
            with suppress(Unavailable):  # then housekeeping deletes them
                await self._delete_starts(job.id)

    async def _starts(self, job_id: int) -> int:
        async with self.database.connection() as connection:
            return await store.starts_of(connection, job_id)

    async def _delete_starts(self, job_id: int) -> None:
        async with self.database.connection() as connection:
            await store.delete_starts(connection, job_id)
