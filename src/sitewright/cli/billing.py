"""`sitewright billing`: lifecycle events, charges, recurring revenue, and users whose due packages failed to change."""

import csv
import io
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from typing import Annotated
from zoneinfo import ZoneInfo

import typer
from rich.markup import escape
from rich.progress import Progress
from rich.table import Column, Table

from sitewright.accounts.account_packages.sweep.failures import operating
from sitewright.accounts.account_packages.sweep.failures.store import Failure, Key
from sitewright.accounts.billing.reports import service
from sitewright.accounts.billing.reports.service import OnStep, Report
from sitewright.cli.context import err, out, shell_actor, with_resources
from sitewright.cli.listing import Limit, say_if_more
from sitewright.kit.resources import Resources
from sitewright.kit.spreadsheets import safe_cell
from sitewright.kit.validation.fields import MAX_INTEGER

app = typer.Typer(
    help="Billing: lifecycle events, charges, subscribers and revenue; users whose due packages failed to change.",
    no_args_is_help=True,
)
COLUMNS = ("section", "package", "currency", "kind", "count", "amount")
FORMATS = ["%Y-%m-%d"]


@app.command()
def report(
    brand: Annotated[int, typer.Option(min=1, max=MAX_INTEGER, help="The brand's ref.")],
    first: Annotated[
        datetime | None,
        typer.Option("--from", formats=FORMATS, help="The first day; left out: the first of the last day's month."),
    ] = None,
    last: Annotated[
        datetime | None, typer.Option("--to", formats=FORMATS, help="The last day, included; left out: today.")
    ] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="One CSV table on standard output.")] = False,
) -> None:
    """Show a brand's events and charges from one day to another, in its time zone, and its subscribers at the end."""

    async def work(resources: Resources) -> Report:
        async with resources.database.transaction(brand) as tx:
            return await service.make_report(tx, first and first.date(), last and last.date(), on_step)

    with _progress() as on_step:
        made = with_resources(work)
    if as_csv:
        typer.echo(_csv(made), nl=False)
    else:
        _show(made)


@app.command()
def stuck(
    brand: Annotated[int | None, typer.Option(help="Only users of this brand.")] = None,
    limit: Limit = 100,
) -> None:
    """List users whose due packages could not be changed (dead letters and retries), and why."""

    async def work(resources: Resources) -> list[Failure]:
        async with resources.database.connection() as connection:
            return await operating.list_failures(connection, brand, limit + 1)

    table = Table(
        "brand", "user", "account package", "since", "attempts", "next attempt", Column("reason", overflow="fold")
    )
    found = with_resources(work)
    for each in found[:limit]:
        refs = (str(ref) for ref in (each.brand_ref, each.user_ref, each.account_package_ref))
        again = "by: billing retry" if each.retry_at is None else f"{each.retry_at:%Y-%m-%d %H:%M:%S}"
        table.add_row(*refs, f"{each.failed_at:%Y-%m-%d %H:%M:%S}", str(each.attempts), again, escape(each.reason))
    out.print(table)
    say_if_more(found, limit)


@app.command()
def retry(
    user: Annotated[int | None, typer.Argument(help="The user's ref; without one, every user that is stuck.")] = None,
    brand: Annotated[int | None, typer.Option(help="Only users of this brand.")] = None,
) -> None:
    """Let the worker retry stuck users within seconds. Fix the cause first."""

    async def work(resources: Resources) -> list[Key]:
        async with resources.database.transaction(None) as tx:
            return await operating.retry(tx, shell_actor(), brand, user)

    retried = with_resources(work)
    out.print(f"Retrying {len(retried)} user{'' if len(retried) == 1 else 's'}.")


@contextmanager
def _progress() -> Iterator[OnStep]:
    """Show a progress bar on a terminal when there is more than one step."""
    with ExitStack() as stack:
        bar = Progress(console=err, transient=True)
        task = bar.add_task("Reading month by month")

        def on_step(done: int, steps: int) -> None:
            if steps > 1 and done == 0 and err.is_terminal:
                stack.enter_context(bar)
            bar.update(task, completed=done, total=steps)

        yield on_step


def _csv(made: Report) -> str:
    rows = [
        *(("events", each.package, "", each.kind, each.count, "") for each in made.events),
        *(("charges", each.package, each.currency, "", each.count, each.amount) for each in made.charges),
        *(
            ("subscribers", each.package, "", kind, count, "")
            for each in made.subscribers
            for kind, count in (("paid", each.paid), ("trial", each.trial), ("free", each.free))
        ),
        *(
            ("monthlyRecurringRevenue", each.package, each.currency, "", each.count, each.amount)
            for each in made.revenue
        ),
    ]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([COLUMNS, *([safe_cell(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)])
    return text.getvalue()


def _show(made: Report) -> None:
    days, at = made.days, made.at.astimezone(ZoneInfo(made.days.time_zone))
    out.print(f"{escape(made.brand)}, {days.first} to {days.last} ({days.time_zone})")
    events = _table("Lifecycle events", "kind", "package", "#count")
    for event in made.events:
        events.add_row(event.kind, escape(event.package), str(event.count))
    charges = _table("Charges", "package", "currency", "#count", "#amount")
    for charge in made.charges:
        charges.add_row(escape(charge.package), charge.currency, str(charge.count), str(charge.amount))
    subscribers = _table(f"Subscribers at {at:%Y-%m-%d %H:%M}", "package", "#paid", "#trial", "#free")
    for line in made.subscribers:
        subscribers.add_row(escape(line.package), str(line.paid), str(line.trial), str(line.free))
    revenue = _table(f"Monthly recurring revenue at {at:%Y-%m-%d %H:%M}", "package", "currency", "#paid", "#amount")
    for each in made.revenue:
        revenue.add_row(escape(each.package), each.currency, str(each.count), str(each.amount))
    for table in (events, charges, subscribers, revenue):
        out.print(table if table.row_count else f"{table.title}: none")


def _table(title: str, *columns: str) -> Table:
    """Create a table; columns marked # hold numbers and are aligned right."""
    table = Table(title=title, title_justify="left")
    for column in columns:
        table.add_column(column.removeprefix("#"), justify="right" if column.startswith("#") else "left")
    return table
