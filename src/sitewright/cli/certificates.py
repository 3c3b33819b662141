"""`sitewright certificates`: the certificates of sites' domains, and when they expire."""

from datetime import timedelta
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Column, Table

from sitewright.cli.context import out, with_resources
from sitewright.domains.certificates import expiry
from sitewright.domains.certificates.acme import service as acme
from sitewright.domains.certificates.acme.groups import SERVICE
from sitewright.domains.certificates.acme.service import ListedGroup
from sitewright.domains.certificates.store import ListedCertificate
from sitewright.kit import clock
from sitewright.kit.resources import Resources

app = typer.Typer(help="Certificates of sites' domains.", no_args_is_help=True)
SOON_DAYS = 30
MAX_AUTOMATIC = 10_000
DATE_WIDTH = 10
"""On a narrow screen the time is below the date, not cut off."""
COLORS = {"valid": "green", "pending": "yellow", "failing": "red", "expired": "red"}


@app.command("list")
def list_(
    expiring: Annotated[
        int | None,
        typer.Option(min=0, max=36500, help="Only those that expire within so many days and have no replacement."),
    ] = None,
) -> None:
    """List certificates, the first to expire first, then automatic ones with their state. Keys are never shown."""
    within = None if expiring is None else timedelta(days=expiring)

    async def work(resources: Resources) -> tuple[list[ListedCertificate], list[ListedGroup]]:
        async with resources.database.connection() as connection:
            listed = await expiry.list_certificates(connection, within)
            return listed, [] if within is not None else await acme.list_all(connection, MAX_AUTOMATIC)

    certificates, groups = with_resources(work)
    out.print(_certificate_table(certificates))
    if groups:
        out.print(_automatic_table(groups))


def _certificate_table(certificates: list[ListedCertificate]) -> Table:
    now = clock.real_now()
    end = Column("not after", overflow="fold", min_width=DATE_WIDTH)
    table = Table("brand", "ref", *_folded("domain", "names", "key", "source"), end, "days left")
    for each in certificates:
        ends, days = f"{each.not_after:%Y-%m-%d %H:%M:%S}", _colored((each.not_after - now).days)
        names = escape(expiry.abbreviate(each.domains[1:]))
        row = str(each.brand_ref), str(each.ref), escape(each.domains[0]), names, each.key_type, each.source, ends, days
        table.add_row(*row)
    return table


def _automatic_table(groups: list[ListedGroup]) -> Table:
    """Those with a problem first."""
    table = Table("brand", *_folded("automatic"), "status", "next attempt", *_folded("reason"))
    for each in groups:
        status = acme.status_of_group(each)
        name = f"*.{each.name}" if each.is_wildcard else each.name
        planned = each.due_at if each.reason_code or each.renew_at is None else each.renew_at
        attempt = "none" if each.due_at is None or planned is None else f"{planned:%Y-%m-%d %H:%M}"
        reason = f"{each.reason_code}: {each.reason_detail}" if each.reason_code else ""
        brand = "service" if each.brand_ref == SERVICE else str(each.brand_ref)
        table.add_row(brand, escape(name), f"[{COLORS[status]}]{status}[/]", attempt, escape(reason))
    return table


def _folded(*headers: str) -> list[Column]:
    """Columns that wrap instead of truncating on a narrow screen."""
    return [Column(header, overflow="fold") for header in headers]


def _colored(days: int) -> str:
    if days < 0:
        return "[red]expired[/red]"
    return f"[yellow]{days}[/yellow]" if days < SOON_DAYS else str(days)
