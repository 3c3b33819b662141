"""`sitewright doctor`: check the installation, and say how to fix what is wrong."""

import asyncio
from collections.abc import Iterator

import typer

from sitewright.cli.checkup import (
    Finding,
    check_database,
    check_folder,
    check_key,
    check_mail,
    check_ports,
    check_space,
)
from sitewright.cli.context import out, settings
from sitewright.cli.replica_checkup import check_replicas
from sitewright.kit.databases import database_for
from sitewright.kit.embedded import EmbeddedPostgresError
from sitewright.settings import Settings, SettingsError

app = typer.Typer()


@app.command()
def doctor() -> None:
    """Check settings, folder, key, ports, mail server, databases and migrations; exit with 1 when one is wrong."""
    all_ok = True
    for finding in _all_findings():  # each is shown at once: a database that does not start takes two minutes
        all_ok = all_ok and finding.ok
        mark = "[green]ok[/green]   " if finding.ok else "[red]wrong[/red]"
        out.print(f"{mark} {finding.what}")
        if not finding.ok:
            out.print(f"      {finding.remedy}", markup=False)
    if not all_ok:
        raise typer.Exit(1)


def _all_findings() -> Iterator[Finding]:
    try:
        chosen = settings()
    except SettingsError as error:
        yield Finding(ok=False, what="settings", remedy=str(error))
        return
    yield Finding(ok=True, what="settings")
    yield (folder := check_folder(chosen))
    if folder.ok:
        yield check_space(chosen)
    yield check_key(chosen)
    yield from check_ports(chosen)
    if chosen.smtp_host:
        yield asyncio.run(check_mail(chosen))
    if chosen.database_url or folder.ok:
        yield from _database_findings(chosen)
    yield from asyncio.run(check_replicas(chosen))


def _database_findings(chosen: Settings) -> list[Finding]:
    try:
        with database_for(chosen) as urls:
            return asyncio.run(check_database(chosen, urls))
    except EmbeddedPostgresError as error:
        return [Finding(ok=False, what="embedded database", remedy=str(error))]
