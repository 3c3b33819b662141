"""`sitewright doctor`: what is wrong, in plain words, and what to do about it."""

import asyncio

import typer

from sitewright.cli.checkup import Finding, check_database, check_folder, check_key, check_mail, check_ports
from sitewright.cli.context import out, settings
from sitewright.kit.databases import database_for
from sitewright.kit.embedded import EmbeddedPostgresError
from sitewright.settings import Settings, SettingsError

app = typer.Typer()


@app.command()
def doctor() -> None:
    """Check settings, folder, key, ports, mail server, database and migrations; ends with 1 when something is wrong."""
    findings = _all_findings()
    for finding in findings:
        mark = "[green]ok[/green]   " if finding.fine else "[red]wrong[/red]"
        out.print(f"{mark} {finding.what}")
        if not finding.fine:
            out.print(f"      {finding.remedy}", markup=False)
    if not all(finding.fine for finding in findings):
        raise typer.Exit(1)


def _all_findings() -> list[Finding]:
    try:
        chosen = settings()
    except SettingsError as error:
        return [Finding(fine=False, what="settings", remedy=str(error))]
    findings = [
        Finding(fine=True, what="settings"),
        check_folder(chosen),
        check_key(chosen),
        *check_ports(chosen),
    ]
    if chosen.smtp_host:
        findings.append(asyncio.run(check_mail(chosen)))
    if chosen.database_url or findings[1].fine:
        findings += _database_findings(chosen)
    return findings


def _database_findings(chosen: Settings) -> list[Finding]:
    try:
        with database_for(chosen) as urls:
            return asyncio.run(check_database(chosen, urls))
    except EmbeddedPostgresError as error:
        return [Finding(fine=False, what="embedded database", remedy=str(error))]
