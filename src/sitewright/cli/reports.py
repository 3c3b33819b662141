"""`sitewright reports`: status of the user reports that brands requested."""

from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Column, Table

from sitewright.accounts.reports import store
from sitewright.accounts.reports.store import ListedReport
from sitewright.cli.context import out, with_resources
from sitewright.cli.listing import Limit, say_if_more
from sitewright.kit import clock
from sitewright.kit.resources import Resources

app = typer.Typer(help="User reports: kept for an hour after completion, failures for a week.", no_args_is_help=True)


@app.command("list")
def list_(
    failed: Annotated[bool, typer.Option("--failed", help="Only reports that failed permanently.")] = False,
    limit: Limit = 100,
) -> None:
    """List reports, newest first."""

    async def work(resources: Resources) -> list[ListedReport]:
        async with resources.database.connection() as connection:
            return await store.list_reports(connection, clock.now(), failed_only=failed, limit=limit + 1)

    table = Table("brand", "report", "created", "tried", "status", "MiB", Column("reason", overflow="fold"))
    found = with_resources(work)
    for each in found[:limit]:
        size = "" if each.bytes is None else f"{each.bytes / 2**20:.1f}"
        created, reason = f"{each.created_at:%Y-%m-%d %H:%M:%S}", escape(each.failure or "")
        table.add_row(str(each.brand_ref), str(each.ref), created, str(each.starts), _status(each), size, reason)
    out.print(table)
    say_if_more(found, limit)


def _status(report: ListedReport) -> str:
    if report.failed_at is not None:
        return f"failed {report.failed_at:%Y-%m-%d %H:%M:%S}"
    if report.expires_at is not None:
        return f"finished, until {report.expires_at:%Y-%m-%d %H:%M:%S}"
    return "is being made" if report.starts else "waits"
