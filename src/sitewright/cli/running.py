"""`sitewright serve` and its parts, each alone; and `sitewright migrate`."""

import asyncio
from typing import Annotated

import typer

from sitewright import __version__, processes
from sitewright.app import connect_features
from sitewright.cli.context import err, out, settings
from sitewright.demo.service import demo_file, ensure_demo
from sitewright.kit import logs
from sitewright.kit.databases import DatabaseUrls, database_for
from sitewright.kit.migrations import migrate as apply_migrations
from sitewright.kit.resources import open_resources
from sitewright.settings import Settings

app = typer.Typer()


@app.command()
def serve(
    demo: Annotated[bool, typer.Option("--demo", help="Ensure the demo data and write <data dir>/demo.json.")] = False,
) -> None:
    """Run everything: the database when none is configured, the JSON interface, the site listener and a worker."""
    logs.set_up()
    chosen = settings().for_demo() if demo else settings()
    with database_for(chosen, serving=True) as urls:
        processes.supervise(chosen, urls, processes.PARTS, prepare=lambda: _prepare(chosen, urls, demo=demo))


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
