"""`sitewright jobs`: the job queue, and failed jobs."""

from typing import Annotated

import typer
from rich.table import Column, Table

from sitewright.cli.context import out, shell_actor, with_resources
from sitewright.cli.listing import Limit, say_if_more
from sitewright.kit.jobs import service, store
from sitewright.kit.resources import Resources

app = typer.Typer(help="Background jobs: failed ones are kept until they are retried.", no_args_is_help=True)


@app.command("list")
def list_(
    failed: Annotated[bool, typer.Option("--failed", help="Only failed and dead-lettered jobs.")] = False,
    limit: Limit = 100,
) -> None:
    """List waiting, running and failed jobs."""

    async def work(resources: Resources) -> list[store.ListedJob]:
        async with resources.database.connection() as connection:
            return await store.list_jobs(connection, failed_only=failed, limit=limit + 1)

    table = Table("job", "kind", "status", "retries", "created", Column("reason", overflow="fold"))
    found = with_resources(work)
    for each in found[:limit]:
        created = f"{each.created:%Y-%m-%d %H:%M:%S}"
        table.add_row(str(each.job_id), each.kind, each.status, str(each.attempts), created, each.reason or "")
    out.print(table)
    say_if_more(found, limit)


@app.command()
def retry(
    job: Annotated[int | None, typer.Argument(help="The job's number; without one, every failed job.")] = None,
) -> None:
    """Put failed jobs back on the queue."""

    async def work(resources: Resources) -> store.Retried:
        async with resources.database.transaction(None) as tx:
            return await service.retry_failed(tx, shell_actor(), job)

    retried = with_resources(work)
    count = len(retried.requeued)
    out.print(f"Retrying {count} job{'' if count == 1 else 's'}.")
    if retried.deleted:
        out.print(f"Deleted {', '.join(map(str, retried.deleted))}: other jobs that wait or run do the same work.")
