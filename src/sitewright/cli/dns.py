"""`sitewright dns`: zones of account domains, their plans, and DKIM keys for the mail server."""

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Column, Table

from sitewright.cli.context import out, shell_actor, with_resources
from sitewright.cli.listing import Limit, say_if_more
from sitewright.domains.dns.operating import service
from sitewright.domains.dns.operating.service import DkimFile, ListedZone, ZonePlan
from sitewright.domains.dns.rrsets import RRset
from sitewright.kit.atomic_files import replacing
from sitewright.kit.hosts import normalize_part
from sitewright.kit.resources import Resources

app = typer.Typer(help="DNS zones of account domains.", no_args_is_help=True)
Name = Annotated[str | None, typer.Argument(help="The domain; without one, all zones that need attention.")]


@app.command("list")
def list_(
    attention: Annotated[
        bool, typer.Option("--attention", help="Only zones that wait for an operator, or whose provider failed.")
    ] = False,
    limit: Limit = 100,
) -> None:
    """List zones by name."""

    async def work(resources: Resources) -> list[ListedZone]:
        return await service.list_zones(resources, attention_only=attention, limit=limit + 1)

    found = with_resources(work)
    table = Table("brand", Column("zone", overflow="fold"), "provider", "state", Column("reason", overflow="fold"))
    for each in found[:limit]:
        cells = [str(each.brand_ref), escape(each.name), each.provider or "-"]
        table.add_row(*cells, _state(each), escape(each.error or ""))
    out.print(table)
    say_if_more(found, limit)


@app.command()
def plan(name: Name = None) -> None:
    """Show what would be sent to the name servers."""

    async def work(resources: Resources) -> list[ZonePlan]:
        return await service.show_plans(resources, _normalized(name))

    plans = with_resources(work)
    for each in plans:
        _show(each)
    if not plans:
        out.print("No zone needs attention.")


@app.command()
def apply(
    name: Name = None,
    force: Annotated[
        bool, typer.Option("--force", help="Also apply a plan that changes more than 30 % of a zone.")
    ] = False,
) -> None:
    """Send the changes of zones to the name servers now."""

    async def work(resources: Resources) -> list[ZonePlan]:
        return await service.apply_plans(resources, shell_actor(), _normalized(name), force=force)

    left = with_resources(work)
    for each in left:
        _show(each)
    if left:
        raise typer.Exit(1)
    out.print("The name servers have all changes.")


@app.command("dkim-keys")
def dkim_keys(
    folder: Annotated[Path, typer.Argument(help="Where to write <domain>.<selector>.key, as rspamd reads them.")],
) -> None:
    """Write the DKIM keys of all domains with mail for the mail server, and remove those of domains that are gone."""

    async def work(resources: Resources) -> list[DkimFile]:
        return await service.list_dkim_keys(resources)

    files = {f"{each.domain}.{each.selector}.key": each.private_pem for each in with_resources(work)}
    folder.mkdir(mode=0o750, parents=True, exist_ok=True)
    present = {name: content for name, content in files.items() if content is not None}
    for file_name, content in present.items():
        with replacing(folder / file_name, mode=0o640) as file:
            file.write(content)
    for path in folder.glob("*.key"):
        if path.name not in files:
            path.unlink()
    out.print(f"{len(present)} key{'' if len(present) == 1 else 's'} in {escape(os.fspath(folder))}.")


def _normalized(name: str | None) -> str | None:
    return None if name is None else normalize_part(name).removesuffix(".")


def _state(zone: ListedZone) -> str:
    if zone.removed_at is not None:
        return "being removed"
    if zone.waits_since is not None:
        return "waits for an operator"
    return "in sync" if zone.out_of_sync_since is None else "out of sync"


def _show(planned: ZonePlan) -> None:
    plan = planned.plan
    out.print(f"{escape(planned.zone.name)} (brand {planned.zone.brand_ref}): {_summary(planned)}")
    for change in plan.changes:
        before, after = _lines(change.before), _lines(change.after)
        for sign, lines in (("-", before - after), ("+", after - before)):
            for line in sorted(lines):
                out.print(f"  {sign} {escape(line)}", soft_wrap=True)


def _lines(rrset: RRset | None) -> set[str]:
    if rrset is None:
        return set()
    return {f"{rrset.key.name} {rrset.ttl} {rrset.key.type} {value}" for value in rrset.values}


def _summary(planned: ZonePlan) -> str:
    plan = planned.plan
    if planned.error is not None:
        return escape(planned.error)
    if not plan.changes:
        return "the name servers have all records"
    waits = "; waits for: sitewright dns apply --force" if plan.needs_operator else ""
    return f"changes {plan.affected} of {plan.existing} records{waits}"
