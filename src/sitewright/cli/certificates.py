"""`sitewright certificates`: the certificates of sites' domains, and when they expire."""

from datetime import timedelta
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Column, Table

from sitewright.cli.context import out, with_resources
from sitewright.domains.certificates import expiry
from sitewright.domains.certificates.store import ListedCertificate
from sitewright.kit import clock
from sitewright.kit.resources import Resources

app = typer.Typer(help="Certificates of sites' domains.", no_args_is_help=True)
SOON_DAYS = 30


@app.command("list")
def list_(
    expiring: Annotated[
        int | None,
        typer.Option(min=0, max=36500, help="Only those that expire within so many days and have no replacement."),
    ] = None,
) -> None:
    """List certificates, the first to expire first. Keys are never shown."""
    within = None if expiring is None else timedelta(days=expiring)

    async def work(resources: Resources) -> list[ListedCertificate]:
        async with resources.database.connection() as connection:
            return await expiry.list_certificates(connection, within)

    table, now = Table("brand", "ref", *_folded("domain", "names"), "key", "not after", "days left"), clock.real_now()
    for each in with_resources(work):
        left = (each.not_after - now).days
        names = escape(expiry.abbreviate(each.domains[1:]))
        ends, days = f"{each.not_after:%Y-%m-%d %H:%M:%S}", _colored(left)
        table.add_row(str(each.brand_ref), str(each.ref), escape(each.domains[0]), names, each.key_type, ends, days)
    out.print(table)


def _folded(*headers: str) -> list[Column]:
    """Columns that wrap instead of truncating on a narrow screen."""
    return [Column(header, overflow="fold") for header in headers]


def _colored(days: int) -> str:
    if days < 0:
        return "[red]expired[/red]"
    return f"[yellow]{days}[/yellow]" if days < SOON_DAYS else str(days)
