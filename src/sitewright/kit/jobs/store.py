from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.metrics import JobCounts

_ENQUEUE = """
with enqueued as (
    insert into jobs.queue (priority, entrypoint, payload, execute_after, dedupe_key, headers, status)
    values (0, $1, $2, now() + $3::interval, $4, 'null', 'queued')
    on conflict (dedupe_key) where status in ('queued', 'picked') and dedupe_key is not null do nothing
    returning id, entrypoint, priority
)
insert into jobs.log (job_id, status, entrypoint, priority) select id, 'queued', entrypoint, priority from enqueued
"""
_REQUEUE = """
with found as (
    select id,
           dedupe_key is not null and (
               row_number() over (partition by dedupe_key order by id desc) > 1
               or exists (
                   select from jobs.queue o where o.dedupe_key = f.dedupe_key and o.status in ('queued', 'picked'))
           ) as is_superseded
      from jobs.queue f where status = 'failed' and ($1::bigint is null or id = $1)
), requeued as (
    update jobs.queue q
       set status = 'queued', execute_after = now(), updated = now(), attempts = 0, queue_manager_id = null
      from found where q.id = found.id and not found.is_superseded and q.status = 'failed'
    returning q.id, q.entrypoint, q.priority, q.status
), deleted as (
    delete from jobs.queue q using found where q.id = found.id and found.is_superseded and q.status = 'failed'
    returning q.id, q.entrypoint, q.priority, 'deleted'::jobs.job_status as status
), changed as (
    select * from requeued union all select * from deleted
), logged as (
    insert into jobs.log (job_id, status, entrypoint, priority) select id, status, entrypoint, priority from changed)
select id, status = 'deleted' as is_deleted from changed order by id
"""
_PRUNE_LOG = """
with logged as (
    delete from jobs.log where ctid = any(array(
        select l.ctid from jobs.log l
         where l.created < now() - $1::interval and l.aggregated order by l.created limit $2))
    returning 1
), counted as (
    delete from jobs.statistics where ctid = any(array(
        select s.ctid from jobs.statistics s where s.created < now() - $1::interval order by s.created limit $2))
    returning 1
), ended as (
    delete from job_starts where ctid = any(array(
        select s.ctid from job_starts s where not exists (select from jobs.queue q where q.id = s.job_id)
         order by s.job_id limit $2))
    returning 1)
select (select count(*) from logged) + (select count(*) from counted) + (select count(*) from ended)
"""


class ListedJob(msgspec.Struct, frozen=True):
    job_id: int
    kind: str
    status: str
    attempts: int
    created: datetime
    reason: str | None


class Retried(msgspec.Struct, frozen=True):
    """Failed jobs, by their number."""

    requeued: list[int]
    deleted: list[int]
    """Another job with the same `dedupe_key` does their work."""


async def enqueue(
    tx: Transaction, kind: str, payload: bytes, *, after: timedelta | None, dedupe_key: str | None
) -> None:
    """Add a job as PgQueuer does, without importing it: that takes 0.3 s of every start, and only workers need it."""
    await tx.execute(_ENQUEUE, kind, payload, after or timedelta(), dedupe_key)


async def starts_of(connection: Transaction, job_id: int) -> int:
    return await connection.fetchval("select starts from job_starts where job_id = $1", job_id) or 0


async def count_start(connection: Transaction, job_id: int) -> None:
    await connection.execute(
        "insert into job_starts (job_id) values ($1) on conflict (job_id) do update set starts = job_starts.starts + 1",
        job_id,
    )


async def delete_starts(connection: Transaction, job_id: int) -> None:
    await connection.execute("delete from job_starts where job_id = $1", job_id)


async def list_jobs(connection: Transaction, *, failed_only: bool, limit: int) -> list[ListedJob]:
    rows = await connection.fetch(
        "select q.id, q.entrypoint, q.status::text, q.attempts, q.created, l.traceback ->> 'exception_message'"
        " from jobs.queue q left join lateral ("
        "   select traceback from jobs.log where job_id = q.id and traceback is not null order by id desc limit 1"
        " ) l on true where not $1 or q.status = 'failed' order by q.id limit $2",
        failed_only,
        limit,
    )
    return [ListedJob(*row) for row in rows]


async def count_jobs(connection: Transaction) -> JobCounts:
    row = await connection.fetchrow(
        "select count(*) filter (where status = 'queued'), count(*) filter (where status = 'picked'),"
        " count(*) filter (where status = 'failed') from jobs.queue"
    )
    assert row is not None  # noqa: S101 - an aggregate has one row
    return JobCounts(*row)


async def requeue_failed(tx: Transaction, job_id: int | None) -> Retried:
    """Put one failed job, or all of them, back on the queue as PgQueuer does, without importing it.

    Of those with the same `dedupe_key` at most one may be queued or running: the newest, unless another one is already.
    """
    rows = await tx.fetch(_REQUEUE, job_id)
    return Retried(*([row["id"] for row in rows if row["is_deleted"] == each] for each in (False, True)))


async def prune_log(tx: Transaction, age: timedelta, limit: int) -> int:
    """Delete the oldest rows of PgQueuer's log and statistics, which only grow, and counters of jobs that have ended.

    At most `limit` rows of each; returns how many.
    """
    removed: int = await tx.fetchval(_PRUNE_LOG, age, limit)
    return removed


async def delete_former_schedules(connection: Transaction, known: Sequence[str]) -> None:
    """Deletes schedules of former releases, which no worker has run for a day; else they would stay overdue."""
    await connection.execute(
        "delete from jobs.schedules where entrypoint <> all($1) and next_run < now() - interval '1 day'", known
    )


async def overdue(connection: Transaction, _now: datetime) -> timedelta | None:
    """For how long the oldest job waits for a worker. The queue uses the real clock."""
    overdue: timedelta | None = await connection.fetchval(
        "select now() - min(execute_after) from jobs.queue where status = 'queued' and execute_after <= now()"
    )
    return overdue


async def overdue_schedule(connection: Transaction, _now: datetime) -> timedelta | None:
    """For how long the oldest scheduled work is due. The queue uses the real clock."""
    overdue: timedelta | None = await connection.fetchval(
        "select now() - min(next_run) from jobs.schedules where next_run <= now()"
    )
    return overdue
