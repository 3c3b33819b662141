"""`sitewright audit`: the audit log."""

from typing import Annotated

import typer
from rich.table import Table

from sitewright.cli.context import err, out, with_resources
from sitewright.cli.listing import Limit, say_if_more
from sitewright.kit.audit import store
from sitewright.kit.resources import Resources

app = typer.Typer(help="The audit log: every state change, append-only.", no_args_is_help=True)


@app.command("list")
def list_(
    brand: Annotated[
        int | None, typer.Option(min=1, help="The brand's ref. Without it, only entries that belong to no brand.")
    ] = None,
    limit: Limit = 50,
) -> None:
    """List the newest entries, newest first."""

    async def work(resources: Resources) -> list[store.AuditEntry]:
        async with resources.database.transaction(brand) as tx:
            return await store.list_entries(tx, brand, limit + 1)

    table = Table("at", "actor", "action", "subject", "ref", "request")
    found = with_resources(work)
    for each in found[:limit]:
        ref = "" if each.ref is None else str(each.ref)
        table.add_row(f"{each.at:%Y-%m-%d %H:%M:%S}", each.actor, each.action, each.subject, ref, each.request_id or "")
    out.print(table)
    say_if_more(found, limit)
    if brand is None:
        err.print("Entries of brands are left out. To see those of one, add --brand REF.")
