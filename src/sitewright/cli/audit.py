"""`sitewright audit`: the audit log."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from sitewright.cli.context import err, out, with_resources
from sitewright.cli.listing import Limit, say_if_more
from sitewright.kit import clock
from sitewright.kit.audit import store
from sitewright.kit.audit.chain import service as chain
from sitewright.kit.audit.chain.seals import InvalidSeal, make_seal, read_seal
from sitewright.kit.resources import Resources

MAX_FINDINGS = 100
"""Of each brand."""
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


@app.command()
def verify(
    seal: Annotated[
        Path | None, typer.Option(help="A file with the output of `audit seal`.", exists=True, dir_okay=False)
    ] = None,
) -> None:
    """Verify the hash chains: report entries that were changed, removed or reordered."""

    async def work(resources: Resources) -> list[chain.Verdict]:
        sealed = {} if seal is None else read_seal(resources.sealer, seal.read_bytes())
        await chain.chain_entries(resources)
        heads = await chain.list_heads(resources.database)
        missing = [
            chain.missing(brand_ref) for brand_ref in sealed if brand_ref not in {each.brand_ref for each in heads}
        ]
        return missing + [
            await chain.verify(resources.database, each, sealed.get(each.brand_ref, {})) for each in heads
        ]

    try:
        verdicts = with_resources(work)
    except InvalidSeal as error:
        err.print(str(error))
        raise typer.Exit(2) from None
    table = Table("brand", "entries", "last place", "result")
    for each in verdicts:
        result = "intact" if not each.findings else f"{len(each.findings)} findings"
        table.add_row(str(each.head.brand_ref or "none"), str(each.entries), str(each.head.sequence), result)
    out.print(table)
    for each in verdicts:
        for finding in each.findings[:MAX_FINDINGS]:
            err.print(f"brand {each.head.brand_ref or 'none'}: {finding}")
    if any(each.findings for each in verdicts):
        raise typer.Exit(1)


@app.command("seal")
def seal_() -> None:
    """Print the signed heads of the hash chains, to keep elsewhere: `audit verify --seal FILE` compares with them."""

    async def work(resources: Resources) -> bytes:
        await chain.chain_entries(resources)
        return make_seal(resources.sealer, await chain.list_heads(resources.database), clock.real_now())

    typer.echo(with_resources(work))
