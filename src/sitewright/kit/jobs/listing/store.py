from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.keyset import ListStatement, Page, PageRequest, SortKey, read_page


class JobRow(msgspec.Struct, frozen=True):
    ref: int
    kind: str
    status: str
    attempts: int
    created_at: datetime
    due_at: datetime
    reason: str | None


async def list_jobs(tx: Transaction, status: str | None, kind: str | None, page: PageRequest) -> Page[JobRow]:
    """Jobs that have ended are not in the queue, so it is short."""
    conditions, parameters = [], []
    for condition, value in (("q.status::text =", status), ("q.entrypoint =", kind)):
        if value is not None:
            parameters.append(value)
            conditions.append(f"{condition} ${len(parameters)}")
    statement = ListStatement(
        columns="q.id, q.entrypoint, q.status::text as status, q.attempts, q.created, q.execute_after,"
        " (select l.traceback ->> 'exception_message' from jobs.log l where l.job_id = q.id and l.traceback is not null"
        "   order by l.id desc limit 1) as reason",
        tables="jobs.queue q",
        conditions=conditions,
        parameters=parameters,
        keys={"ref": SortKey("q.id")},
        ref="q.id",
    )
    return (await read_page(tx, statement, page)).of(lambda row: JobRow(*list(row)[:7]))


async def list_kinds(tx: Transaction) -> list[str]:
    rows = await tx.fetch("select distinct entrypoint from jobs.queue order by entrypoint")
    return [row["entrypoint"] for row in rows]


async def has_failed(tx: Transaction) -> bool:
    found: bool = await tx.fetchval("select exists (select from jobs.queue where status = 'failed')")
    return found
