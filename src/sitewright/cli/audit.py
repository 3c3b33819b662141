"""`sitewright audit`: the audit log."""

from typing import Annotated

import typer
from rich.table import Table

from sitewright.cli.context import out, with_resources
from sitewright.kit.audit import store
from sitewright.kit.resources import Resources

app = typer.Typer(help="The audit log: every state change, append-only.", no_args_is_help=True)


@app.command("list")
def list_(
    brand: Annotated[int | None, typer.Option(help="Entries of this brand; without it, of no brand.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10000)] = 50,
) -> None:
    """List the newest entries, newest first."""

    async def work(resources: Resources) -> list[store.AuditEntry]:
        async with resources.database.transaction(brand) as tx:
            return await store.list_entries(tx, brand, limit)

    table = Table("at", "actor", "action", "subject", "ref", "request")
    for each in with_resources(work):
        ref = "" if each.ref is None else str(each.ref)
        table.add_row(f"{each.at:%Y-%m-%d %H:%M:%S}", each.actor, each.action, each.subject, ref, each.request_id or "")
    out.print(table)
