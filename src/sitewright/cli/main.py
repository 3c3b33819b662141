"""The verbs an operator has. Each is small; what they do stands in the features and the kit."""

import asyncio
import sys
from typing import Annotated

import typer
from rich.markup import escape

from sitewright import __version__, processes
from sitewright.app import connect_features
from sitewright.cli import (
    audit,
    billing,
    catalogue,
    certificates,
    credentials,
    doctor,
    domains,
    dumps,
    jobs,
    keys,
    mail,
    mailboxes,
    reports,
    sign,
    sites,
    webhooks,
)
from sitewright.cli.context import FORESEEN, err, out, settings
from sitewright.demo.service import demo_file, ensure_demo
from sitewright.kit import logs
from sitewright.kit.db import NOT_MIGRATED
from sitewright.kit.migrations import migrate as apply_migrations
from sitewright.kit.resources import open_resources
from sitewright.processes import PARTS, DatabaseUrls, database_for
from sitewright.settings import Settings

app = typer.Typer(
    help="Sitewright: a self-hosted website provisioning and account service.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(catalogue.app, name="catalogue")
app.add_typer(certificates.app, name="certificates")
app.add_typer(credentials.app, name="credentials")
app.add_typer(domains.app, name="domains")
app.add_typer(jobs.app, name="jobs")
app.add_typer(keys.app, name="keys")
app.add_typer(mail.app, name="mail")
app.add_typer(mailboxes.app, name="mailboxes")
app.add_typer(reports.app, name="reports")
app.add_typer(sites.app, name="sites")
app.add_typer(webhooks.app, name="webhooks")
app.add_typer(audit.app, name="audit")
app.add_typer(billing.app, name="billing")
app.command()(doctor.doctor)
app.command("call")(sign.call)
app.command()(dumps.backup)
app.command()(dumps.restore)


def run() -> None:
    try:
        app()
    except NOT_MIGRATED as error:
        err.print(
            f"[red]sitewright:[/red] The database is not up to date ({escape(str(error))}). Run: sitewright migrate"
        )
        sys.exit(1)
    except FORESEEN as error:
        err.print(f"[red]sitewright:[/red] {escape(str(error))}")
        sys.exit(1)


@app.command()
def serve(
    demo: Annotated[bool, typer.Option("--demo", help="Ensure the demo data and write <data dir>/demo.json.")] = False,
) -> None:
    """Run everything: the database when none is configured, the JSON interface, the site listener and a worker."""
    logs.set_up()
    chosen = settings().for_demo() if demo else settings()
    with database_for(chosen, serving=True) as urls:
        processes.supervise(chosen, urls, PARTS, prepare=lambda: _prepare(chosen, urls, demo=demo))


@app.command()
def api() -> None:
    """Run the JSON interface alone. It answers 503 until the database is there and up to date."""
    _run_alone("api")


@app.command()
def edge() -> None:
    """Run the site listener alone."""
    _run_alone("edge")


@app.command()
def worker() -> None:
    """Run a worker alone."""
    _run_alone("worker")


@app.command()
def migrate() -> None:
    """Bring the database up to date."""
    with database_for(settings()) as urls:
        applied = asyncio.run(apply_migrations(urls.owner))
    for migration in applied:
        out.print(f"applied {migration.number:04} {migration.name}")
    out.print("The database is up to date.")


@app.command()
def version() -> None:
    """Print the version."""
    out.print(__version__)


def _run_alone(part: str) -> None:
    logs.set_up()
    chosen = settings()
    with database_for(chosen) as urls:
        processes.supervise(chosen, urls, [part], prepare=lambda: None)


def _prepare(chosen: Settings, urls: DatabaseUrls, *, demo: bool) -> None:
    asyncio.run(_prepare_database(chosen, urls, demo=demo))
    err.print(
        f"Sitewright {__version__}: interface on {chosen.api_url}, sites on {chosen.site_url} and {chosen.site_tls_url}"
    )
    if demo:
        err.print(f"Demo credentials: {demo_file(chosen)}   Stop with Ctrl-C.")


async def _prepare_database(chosen: Settings, urls: DatabaseUrls, *, demo: bool) -> None:
    await apply_migrations(urls.owner)
    if demo:
        connect_features()
        async with open_resources(chosen, urls.service, name="demo") as resources:
            await ensure_demo(resources, urls.owner)
