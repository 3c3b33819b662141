"""`sitewright domains check`: checks a name now, as the service would."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Column, Table

from sitewright.cli.context import err, out, settings, with_resources
from sitewright.demo.network import demo_settings
from sitewright.domains.health.service import HealthCheck, Status, check_name, messages_in, present_findings
from sitewright.kit.hosts import normalize
from sitewright.kit.resources import Resources

EXIT_CODES = {Status.OK: 0, Status.ATTENTION: 0, Status.FAILING: 1, Status.UNKNOWN: 3}
INVALID = 2
COLORS = {"ok": "green", "attention": "yellow", "failing": "red", "unknown": "magenta", "skipped": "dim"}


def check(
    name: Annotated[str, typer.Argument(help="A host name or domain, mapped or not.")],
    every: Annotated[bool, typer.Option("--all", help="Also checks that do not apply.")] = False,
    language: Annotated[str, typer.Option(help="Of the texts: en, de, es, fr or pt.")] = "en",
    demo: Annotated[bool, typer.Option("--demo", help="Ask the name server of serve --demo.")] = False,
) -> None:
    """Check the DNS, addresses, certificate and mail of a name.

    The exit code is 0 if all is well or needs attention only, 1 if a check fails, 3 if the result is unknown.
    """
    try:
        host = normalize(name)
    except ValueError as error:
        err.print(f"{escape(name)} {error}.")
        raise typer.Exit(INVALID) from None

    async def work(resources: Resources) -> tuple[Sequence[HealthCheck], Status]:
        _, findings, status = await check_name(resources, host)
        return present_findings(findings, host, messages_in(language)), status

    checks, status = with_resources(work, demo_settings(settings()) if demo else None)
    out.print(_table([each for each in checks if every or each.status != "skipped"]))
    out.print(f"{host}: {status.value}")
    raise typer.Exit(EXIT_CODES[status])


def _table(checks: Sequence[HealthCheck]) -> Table:
    table = Table("check", Column("status", min_width=9), Column("result and what to do", overflow="fold"))
    for each in checks:
        text = each.detail if each.fix is None else f"{each.detail}\n{each.fix}"
        table.add_row(each.code, f"[{COLORS[each.status]}]{each.status}[/]", escape(text))
    return table
