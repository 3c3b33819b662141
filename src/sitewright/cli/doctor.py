"""`sitewright doctor`: check the installation, and say how to fix what is wrong."""

import asyncio

import typer

from sitewright.cli.checkup import Finding, check_database, check_folder, check_key, check_mail, check_ports
from sitewright.cli.context import out, settings
from sitewright.cli.replica_checkup import check_replicas
from sitewright.kit.databases import database_for
from sitewright.kit.embedded import EmbeddedPostgresError
from sitewright.settings import Settings, SettingsError

app = typer.Typer()


@app.command()
def doctor() -> None:
    """Check settings, folder, key, ports, mail server, databases and migrations; exit with 1 when one is wrong."""
    findings = _all_findings()
    for finding in findings:
        mark = "[green]ok[/green]   " if finding.ok else "[red]wrong[/red]"
        out.print(f"{mark} {finding.what}")
        if not finding.ok:
            out.print(f"      {finding.remedy}", markup=False)
    if not all(finding.ok for finding in findings):
        raise typer.Exit(1)


def _all_findings() -> list[Finding]:
    try:
        chosen = settings()
    except SettingsError as error:
        return [Finding(ok=False, what="settings", remedy=str(error))]
    findings = [
        Finding(ok=True, what="settings"),
        check_folder(chosen),
        check_key(chosen),
        *check_ports(chosen),
    ]
    if chosen.smtp_host:
        findings.append(asyncio.run(check_mail(chosen)))
    if chosen.database_url or findings[1].ok:
        findings += _database_findings(chosen)
    findings += asyncio.run(check_replicas(chosen))
    return findings


def _database_findings(chosen: Settings) -> list[Finding]:
    try:
        with database_for(chosen) as urls:
            return asyncio.run(check_database(chosen, urls))
    except EmbeddedPostgresError as error:
        return [Finding(ok=False, what="embedded database", remedy=str(error))]
