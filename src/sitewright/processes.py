"""Composition of the processes: which parts run, on which listeners, against which database."""

import asyncio
import os
import resource
import socket
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import uvloop

from sitewright.accounts.account_packages.sweep import service as due_packages
from sitewright.accounts.account_packages.sweep.failures import retries as failed_packages
from sitewright.accounts.mailed_links.jobs import FORGOTTEN_PASSWORD
from sitewright.accounts.reports import generation as reports
from sitewright.accounts.search import rebuilding as search
from sitewright.app import LIFECYCLE, MAIL, create_app
from sitewright.domains.account_domains import jobs as registrations
from sitewright.domains.account_domains.jobs import ERASE_HOLDER, RECONCILE
from sitewright.domains.certificates import expiry as certificates
from sitewright.domains.mailboxes.jobs import DEPROVISION, PROVISION
from sitewright.edge import pruning as contact_messages
from sitewright.edge.app import SiteListener
from sitewright.edge.default_certificate import default_certificate
from sitewright.edge.statistics import service as statistics
from sitewright.kit import clock
from sitewright.kit.auth.hashing import process_pool
from sitewright.kit.databases import DatabaseUrls
from sitewright.kit.housekeeping import MAIL_FILES, SCHEDULES
from sitewright.kit.http.server import listen_for_each, serve
from sitewright.kit.http.tls_port import Tls
from sitewright.kit.jobs import JobKind, Loop, Schedule
from sitewright.kit.mail import sending as mail
from sitewright.kit.metrics import remove_process, remove_stale_files
from sitewright.kit.port_claims import claim_port
from sitewright.kit.resources import open_resources
from sitewright.kit.supervisor import Part, Supervisor
from sitewright.settings import Settings, SettingsError
from sitewright.sites.media import jobs as media
from sitewright.sites.media import variants as media_variants
from sitewright.sites.publishing.jobs import PRUNE
from sitewright.statistics import upkeep as figures
from sitewright.webhooks import pruning as webhook_pruning
from sitewright.webhooks.deliveries.dispatcher import DeliveryLoop

JOB_KINDS: list[JobKind[Any]] = [
    FORGOTTEN_PASSWORD,
    PRUNE,
    media.PURGE,
    PROVISION,
    DEPROVISION,
    RECONCILE,
    ERASE_HOLDER,
]
LOOPS: list[Loop] = [
    due_packages.SWEEP,
    failed_packages.LOOP,
    mail.mail_loop(only_urgent=lambda: due_packages.SWEEP.is_running),
    MAIL_FILES,
    reports.LOOP,
    registrations.LOOP,
    media_variants.LOOP,
    media.SPOOL_FILES,
    DeliveryLoop(),
    figures.LOOP,
]
ALL_SCHEDULES: list[Schedule] = [
    *SCHEDULES,
    *certificates.SCHEDULES,
    *contact_messages.SCHEDULES,
    *statistics.SCHEDULES,
    *media.SCHEDULES,
    *reports.SCHEDULES,
    *search.SCHEDULES,
    *webhook_pruning.SCHEDULES,
]
PARTS = ("api", "edge", "worker")
MAX_OPEN_FILES = 65536  # mostly connections
WORKER_NICENESS = 10  # requests go before background work
PORT_WAIT_SECONDS = 5  # a previous process may still be draining


def supervise(settings: Settings, urls: DatabaseUrls, names: Sequence[str], *, prepare: Callable[[], None]) -> None:
    """Run the named parts until SIGTERM; `prepare` is called after their listeners are open and before they start."""
    parts = [part for name in names for part in _parts(settings, urls.service, name)]
    server = urls.server if urls.server is not None and urls.server.pid is not None else None
    _allow_open_files()
    remove_stale_files(settings.metrics_path)
    prepare()
    remove_metrics = partial(remove_process, settings.metrics_path)
    Supervisor(parts, server=server, drain_seconds=settings.drain_seconds, on_exit=remove_metrics).run()


def _allow_open_files() -> None:
    """Raise the limit of open files to the hard limit: idle connections soon exhaust the usual 1024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = MAX_OPEN_FILES if hard == resource.RLIM_INFINITY else min(MAX_OPEN_FILES, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, limit), hard))


def _parts(settings: Settings, url: str, name: str) -> list[Part]:
    if name == "worker":
        return [Part("worker", lambda: uvloop.run(_worker(settings, url)))]
    if name == "edge":
        return _edge_parts(settings, url)
    callers = _listen(settings, settings.api_port, "SITEWRIGHT_API_PORT", settings.api_processes)
    return [Part("api", partial(_run_api, settings, url, listener), [listener]) for listener in callers]


def _edge_parts(settings: Settings, url: str) -> list[Part]:
    """Each process has its own sockets on both ports. The default certificate is created here, once for all of them."""
    count = settings.edge_server_processes
    sites = _listen(settings, settings.site_port, "SITEWRIGHT_SITE_PORT", count)
    secure = _listen(settings, settings.site_tls_port, "SITEWRIGHT_SITE_TLS_PORT", count)
    default_certificate(settings.data_path)
    return [Part("edge", partial(_run_edge, settings, url, *each), each) for each in zip(sites, secure, strict=True)]


def _run_edge(settings: Settings, url: str, listener: socket.socket, secure: socket.socket) -> None:
    uvloop.run(_edge(settings, url, listener, secure))


def _run_api(settings: Settings, url: str, listener: socket.socket) -> None:
    uvloop.run(_api(settings, url, listener))


async def _api(settings: Settings, url: str, listener: socket.socket) -> None:
    opened = open_resources(settings, url, name="api", lifecycle=LIFECYCLE, mail=MAIL, hashing=process_pool)
    async with opened as resources:
        watching = asyncio.create_task(resources.metrics.watch(resources.database.pool))
        await serve(create_app(resources), listener, resources)
        watching.cancel()


async def _edge(settings: Settings, url: str, listener: socket.socket, secure: socket.socket) -> None:
    opened = open_resources(settings, url, name="edge", lifecycle=LIFECYCLE, mail=MAIL)
    async with opened as resources, asyncio.TaskGroup() as group:
        sites = SiteListener(resources)
        working = group.create_task(sites.work())
        tls = Tls(secure, sites.certificates, resources.metrics.count_handshake)
        await serve(sites, listener, resources, tls)
        working.cancel()


async def _worker(settings: Settings, url: str) -> None:
    from sitewright.kit.jobs.worker import run_worker  # noqa: PLC0415 - PgQueuer: 0.3 s, which only the worker needs

    os.nice(WORKER_NICENESS)
    async with open_resources(settings, url, name="worker", lifecycle=LIFECYCLE, mail=MAIL) as resources:
        await run_worker(resources, JOB_KINDS, ALL_SCHEDULES, LOOPS)


def _listen(settings: Settings, port: int, setting: str, processes: int) -> list[socket.socket]:
    listeners = _listen_patiently(settings.host, port, setting, processes)
    claim_port(settings.data_path, port)
    return listeners


def _listen_patiently(host: str, port: int, setting: str, processes: int) -> list[socket.socket]:
    deadline = clock.stopwatch() + PORT_WAIT_SECONDS
    while True:
        try:
            return listen_for_each(host, port, processes)
        except OSError as error:
            if clock.stopwatch() > deadline:
                raise SettingsError(
                    f"Cannot listen on {host} port {port}: {error.strerror}. Set {setting} to another port, or end"
                    " the program that uses this one."
                ) from error
        time.sleep(0.1)
