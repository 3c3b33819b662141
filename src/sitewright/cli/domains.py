"""`sitewright domains`: account holders' domains and their registration status."""

from datetime import datetime
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Column, Table

from sitewright.cli import domain_check
from sitewright.cli.context import out, shell_actor, with_resources
from sitewright.cli.listing import Limit, say_if_more
from sitewright.domains.account_domains.operating import service
from sitewright.domains.account_domains.operating.service import ListedDomain
from sitewright.kit.resources import Resources

app = typer.Typer(help="Domains that account holders registered.", no_args_is_help=True)
app.command()(domain_check.check)
Ref = Annotated[int, typer.Argument(help="The account domain's ref.", min=1)]
Brand = Annotated[int | None, typer.Option(help="Only domains of this brand.", min=1)]


@app.command("list")
def list_(
    failed: Annotated[bool, typer.Option("--failed", help="Only domains whose registrar operation failed.")] = False,
    brand: Brand = None,
    limit: Limit = 100,
) -> None:
    """List domains, newest first."""

    async def work(resources: Resources) -> list[ListedDomain]:
        return await service.list_domains(resources, brand, failed_only=failed, limit=limit + 1)

    domain, expires = Column("domain", overflow="fold"), Column("expires", min_width=10)
    table = Table(
        "brand", "ref", domain, "user", "status", expires, "renews", "free", Column("reason", overflow="fold")
    )
    found = with_resources(work)
    for each in found[:limit]:
        renews, free = "yes" if each.auto_renew else "no", "yes" if each.is_free else "no"
        cells = [str(each.brand_ref), str(each.ref), escape(each.domain), str(each.user_ref), _status(each)]
        table.add_row(*cells, f"{each.expires_at:%Y-%m-%d}", renews, free, escape(each.failure or ""))
    out.print(table)
    say_if_more(found, limit)


@app.command()
def show(ref: Ref) -> None:
    """Show everything about one domain."""

    async def work(resources: Resources) -> ListedDomain:
        return await service.show_domain(resources, ref)

    out.print(_details(with_resources(work)))


@app.command()
def renew(ref: Ref) -> None:
    """Renew a domain by one period now, charged now, before it would renew by itself."""

    async def work(resources: Resources) -> ListedDomain:
        return await service.renew_domain(resources, shell_actor(), ref)

    renewed = with_resources(work)
    out.print(f"{renewed.domain} is paid for until {renewed.expires_at:%Y-%m-%d}; the registrar is notified now.")


@app.command()
def retry(
    ref: Annotated[int | None, typer.Argument(help="The domain's ref; without one, all that failed.", min=1)] = None,
    brand: Brand = None,
) -> None:
    """Retry the failed registrar operation of one domain, or of all domains."""

    async def work(resources: Resources) -> int:
        return await service.retry_domains(resources, shell_actor(), ref, brand)

    retried = with_resources(work)
    out.print(f"Retrying {retried} domain{'' if retried == 1 else 's'}.")


def _status(domain: ListedDomain) -> str:
    return "deleted" if domain.deleted_at is not None else domain.status


def _details(domain: ListedDomain) -> Table:
    table = Table("", "", show_header=False)
    for name, value in (
        ("domain", domain.domain),
        ("account domain", str(domain.ref)),
        ("brand", str(domain.brand_ref)),
        ("user", str(domain.user_ref)),
        ("package", f"{domain.package} (account package {domain.account_package_ref})"),
        ("supplier", domain.supplier),
        ("status", _status(domain)),
        ("free", "yes" if domain.is_free else "no"),
        ("renews", "yes" if domain.auto_renew else "no"),
        ("ordered", _format_time(domain.registered_at)),
        ("paid until", _format_time(domain.expires_at)),
        ("registered until", _format_time(domain.registered_until)),
        ("ended", _format_time(domain.ended_at)),
        ("released", _format_time(domain.released_at)),
        ("failure", f"{domain.failure} ({_format_time(domain.failed_at)})" if domain.failure else "none"),
    ):
        table.add_row(name, escape(value))
    return table


def _format_time(at: datetime | None) -> str:
    return "-" if at is None else f"{at:%Y-%m-%d %H:%M:%S}"
