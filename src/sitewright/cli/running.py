"""`sitewright serve`, its processes as single commands (`api`, `edge`, `worker`), and `sitewright migrate`."""

import asyncio
import logging
import os
from collections.abc import Sequence
from functools import partial
from typing import Annotated

import asyncpg
import typer

from sitewright import processes
from sitewright.cli.context import out, settings
from sitewright.cli.migration_plan import show_plan
from sitewright.cli.start_table import show_start_table
from sitewright.demo.network import open_network
from sitewright.demo.service import ensure_demo, generate_history
from sitewright.features import LIFECYCLE, MAIL
from sitewright.kit import logs
from sitewright.kit.connection_budget import fitted, read_budget
from sitewright.kit.databases import DatabaseUrls, database_for
from sitewright.kit.migration_plan import make_plan
from sitewright.kit.migrations import migrate as apply_migrations
from sitewright.kit.resources import open_resources
from sitewright.kit.rotation.ring import LOST
from sitewright.kit.sealing import MasterKeyError, load_sealer
from sitewright.kit.service_login import WAIT_SECONDS, ServiceLogin, check_login
from sitewright.kit.supervisor import Part
from sitewright.kit.systemd import ServiceManager
from sitewright.settings import Settings
from sitewright.tenants.credentials import service as credentials

app = typer.Typer()
_log = logging.getLogger("sitewright.database")


@app.command()
def serve(
    demo: Annotated[
        bool,
        typer.Option(
            "--demo",
            help="Create the demo brands where they are missing, and write their credentials to <data dir>/demo.json.",
        ),
    ] = False,
) -> None:
    """Run everything: the API, the edge server for published sites, a worker, and a database if none is configured."""
    logs.set_up()
    manager = ServiceManager.from_environment(os.environ)
    chosen = settings().for_demo() if demo else settings()
    with database_for(chosen, serving=True) as urls:
        network = open_network(chosen) if demo else None

        def load() -> Settings:
            found = settings() if network is None else network.kept.configure(settings().for_demo())
            return _within_connections(found, urls, processes.PARTS)

        chosen = load()
        others: list[Part] = []
        if network is not None:
            others = [network.part(chosen), *([_history_part(chosen, urls)] if chosen.demo_history else [])]
        processes.supervise(
            chosen,
            urls,
            processes.PARTS,
            prepare=lambda: _prepare(chosen, urls, demo=demo),
            reload=load,
            others=others,
            manager=manager,
        )


@app.command()
def api() -> None:
    """Run the API alone. It responds with 503 until the database is reachable and migrated."""
    _run_alone("api")


@app.command()
def edge() -> None:
    """Run the edge server alone, which serves published sites."""
    _run_alone("edge")


@app.command()
def worker() -> None:
    """Run a worker alone, for background work: mail, webhooks, due packages, reports."""
    _run_alone("worker")


@app.command()
def migrate(
    *,
    plan: Annotated[
        bool,
        typer.Option("--plan", help="Change nothing; show what each step would lock, and for how long."),
    ] = False,
) -> None:
    """Create or update the tables of the database. `serve` does this by itself."""
    chosen = settings()
    with database_for(chosen) as urls:
        if plan:
            show_plan(make_plan(urls.owner))
            return
        applied = asyncio.run(apply_migrations(urls.owner, own_role=chosen.makes_login_role))
    for source in applied:
        out.print(f"applied {source.path}")
    out.print("The database is up to date.")


def _run_alone(part: str) -> None:
    logs.set_up()
    manager = ServiceManager.from_environment(os.environ)
    chosen = settings()
    with database_for(chosen) as urls:

        def load() -> Settings:
            return _within_connections(settings(), urls, [part])

        chosen = load()
        check = partial(_check_if_reachable, chosen, urls)
        processes.supervise(chosen, urls, [part], prepare=check, reload=load, manager=manager)


def _prepare(chosen: Settings, urls: DatabaseUrls, *, demo: bool) -> None:
    asyncio.run(_prepare_database(chosen, urls, demo=demo))
    show_start_table(chosen, demo=demo)


def _history_part(chosen: Settings, urls: DatabaseUrls) -> Part:
    """Generates the demo's history in the background: the service is ready before."""
    return Part("demo-history", lambda _pulse: asyncio.run(_generate_history(chosen, urls)), runs_once=True)


async def _generate_history(chosen: Settings, urls: DatabaseUrls) -> None:
    os.nice(processes.WORKER_NICENESS)
    patient = chosen.for_commands()
    async with open_resources(patient, urls.service, name="demo", lifecycle=LIFECYCLE, mail=MAIL) as resources:
        await generate_history(resources, urls.owner)


async def _prepare_database(chosen: Settings, urls: DatabaseUrls, *, demo: bool) -> None:
    await apply_migrations(urls.owner, own_role=chosen.makes_login_role)
    await _check(chosen, urls)
    if demo:
        patient = chosen.for_commands()
        async with open_resources(patient, urls.service, name="demo", lifecycle=LIFECYCLE, mail=MAIL) as resources:
            await ensure_demo(resources, urls.owner)


async def _check(chosen: Settings, urls: DatabaseUrls) -> None:
    await _check_log_in(chosen, urls)
    await _check_master_key(chosen, urls)


async def _check_log_in(chosen: Settings, urls: DatabaseUrls) -> None:
    """Raise where row-level security would not apply to the service; log what is merely not recommended."""
    remedy = await check_login(urls.service, own_role=chosen.makes_login_role)
    if remedy is not None:
        _log.warning("the service has no log-in role of its own, and uses SET ROLE. %s", remedy)


async def _check_master_key(chosen: Settings, urls: DatabaseUrls) -> None:
    """Log that signed requests will fail; everything that needs no secret is served."""
    log_in = ServiceLogin(urls.service, own_role=chosen.makes_login_role, name="check", wait_seconds=WAIT_SECONDS)
    connection = await log_in.connect()
    try:
        await credentials.check_master_key(connection, load_sealer(chosen.master_key, chosen.data_path))
    except MasterKeyError as error:
        _log.error("the master key is not the one of this database: %s %s", error, LOST)
    finally:
        await connection.close(timeout=WAIT_SECONDS)


def _check_if_reachable(chosen: Settings, urls: DatabaseUrls) -> None:
    """Check role and key, but start a single process even while the database is down or not migrated (503)."""
    try:
        asyncio.run(_check(chosen, urls))
    except (OSError, asyncpg.PostgresError, asyncpg.InternalClientError) as error:
        _log.warning("the database could not be checked: %s", error)


def _within_connections(chosen: Settings, urls: DatabaseUrls, parts: Sequence[str]) -> Settings:
    """Reduce the connections per process to what the server allows; skipped while the database is unreachable."""
    try:
        budget = asyncio.run(read_budget(urls.service, chosen, parts))
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError):
        return chosen  # the next step that needs the database reports the error
    within = fitted(budget)
    if not budget.is_sufficient:
        _log.warning("%s. Until then each process has %s.", budget, within.database_connections)
    return within
