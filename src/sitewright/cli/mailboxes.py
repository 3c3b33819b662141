"""`sitewright mailboxes`: provisioning status of mailboxes."""

from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Column, Table

from sitewright.cli.context import out, shell_actor, with_resources
from sitewright.cli.listing import Limit, say_if_more
from sitewright.domains.mailboxes.operating import service as operating
from sitewright.domains.mailboxes.store import ListedMailbox
from sitewright.kit.resources import Resources

app = typer.Typer(help="Mailboxes of account domains, and why some failed.", no_args_is_help=True)


@app.command("list")
def list_(
    failed: Annotated[bool, typer.Option("--failed", help="Only mailboxes that the mail server rejected.")] = False,
    limit: Limit = 100,
) -> None:
    """List mailboxes, last changed first."""

    async def work(resources: Resources) -> list[ListedMailbox]:
        return await operating.list_mailboxes(resources, failed_only=failed, limit=limit + 1)

    table = Table("brand", "mailbox", "address", "status", "changed", "attempts", Column("reason", overflow="fold"))
    found = with_resources(work)
    for each in found[:limit]:
        address, changed = f"{each.name}@{each.domain}", f"{each.updated_at:%Y-%m-%d %H:%M:%S}"
        reason, attempts = escape(each.reason or ""), str(each.attempts)
        table.add_row(str(each.brand_ref), str(each.ref), address, each.status, changed, attempts, reason)
    out.print(table)
    say_if_more(found, limit)


@app.command()
def retry(
    mailbox: Annotated[int | None, typer.Argument(help="The mailbox's number; without one, all that failed.")] = None,
    brand: Annotated[int | None, typer.Option(help="Only mailboxes of this brand.")] = None,
) -> None:
    """Retry provisioning of mailboxes that failed, or of one that is waiting."""

    async def work(resources: Resources) -> int:
        return await operating.retry(resources, shell_actor(), brand, mailbox)

    retried = with_resources(work)
    out.print(f"Provisioning {retried} mailbox{'' if retried == 1 else 'es'} again.")
