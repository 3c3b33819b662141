"""Composition of the processes: which parts run, on which listeners, against which database."""

import asyncio
import os
import resource
import socket
import time
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any, TypeAlias

import uvloop

from sitewright.accounts.account_packages.sweep import service as due_packages
from sitewright.accounts.account_packages.sweep.failures import retries as failed_packages
from sitewright.accounts.clocks import advancing as test_clocks
from sitewright.accounts.mailed_links.jobs import FORGOTTEN_PASSWORD
from sitewright.accounts.reports import generation as reports
from sitewright.accounts.search import rebuilding as search
from sitewright.app import create_app
from sitewright.domains.account_domains import jobs as registrations
from sitewright.domains.account_domains.jobs import ERASE_HOLDER, RECONCILE
from sitewright.domains.certificates import expiry as certificates
from sitewright.domains.certificates.acme import jobs as automatic_certificates
from sitewright.domains.dns import jobs as dns
from sitewright.domains.health import jobs as domain_health
from sitewright.domains.mailboxes.jobs import DEPROVISION, PROVISION
from sitewright.edge import pruning as contact_messages
from sitewright.edge.app import SiteListener
from sitewright.edge.default_certificate import default_certificate
from sitewright.edge.own_hosts import OwnHosts
from sitewright.edge.statistics import service as statistics
from sitewright.features import LIFECYCLE, MAIL
from sitewright.kit import clock
from sitewright.kit.auth.hashing import process_pool, thread_pool
from sitewright.kit.databases import DatabaseUrls
from sitewright.kit.housekeeping import AUDIT_CHAIN, MAIL_FILES, SCHEDULES
from sitewright.kit.http.server import listen_for_each, serve, share_among
from sitewright.kit.http.tls_port import Tls
from sitewright.kit.jobs import JobKind, Loop, Schedule
from sitewright.kit.mail import sending as mail
from sitewright.kit.metrics import remove_process, remove_stale_files
from sitewright.kit.nodes.service import heartbeat
from sitewright.kit.port_claims import claim_port
from sitewright.kit.pulse import Pulse
from sitewright.kit.resources import open_resources
from sitewright.kit.sealing import load_sealer
from sitewright.kit.supervisor import Part, Supervisor
from sitewright.kit.systemd import ServiceManager
from sitewright.settings import Settings, SettingsError
from sitewright.settings_reload import CurrentSettings
from sitewright.sites.media import jobs as media
from sitewright.sites.media import variants as media_variants
from sitewright.sites.publishing.jobs import PRUNE
from sitewright.sites.sites.erasure import jobs as site_erasures
from sitewright.statistics import upkeep as figures
from sitewright.webhooks import pruning as webhook_pruning
from sitewright.webhooks.deliveries.dispatcher import DeliveryLoop
from sitewright.webhooks.sequencer.service import SEQUENCER

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
    test_clocks.TASK,
    mail.mail_loop(only_urgent=lambda: due_packages.SWEEP.is_running),
    MAIL_FILES,
    reports.LOOP,
    registrations.LOOP,
    automatic_certificates.LOOP,
    dns.LOOP,
    domain_health.LOOP,
    media_variants.LOOP,
    media.SPOOL_FILES,
    SEQUENCER,
    site_erasures.LOOP,
    DeliveryLoop(),
    AUDIT_CHAIN,
    figures.LOOP,
]
ALL_SCHEDULES: list[Schedule] = [
    *SCHEDULES,
    *certificates.SCHEDULES,
    *automatic_certificates.SCHEDULES,
    *figures.SCHEDULES,
    *dns.SCHEDULES,
    *contact_messages.SCHEDULES,
    *statistics.SCHEDULES,
    *media.SCHEDULES,
    *reports.SCHEDULES,
    *search.SCHEDULES,
    *webhook_pruning.SCHEDULES,
]
PARTS = ("api", "edge", "worker")
RunPart: TypeAlias = Callable[[Pulse], Coroutine[Any, Any, None]]
MAX_OPEN_FILES = 65536  # mostly connections
WORKER_NICENESS = 10  # requests go before background work
PORT_WAIT_SECONDS = 5  # a previous process may still be draining


def supervise(
    settings: Settings,
    urls: DatabaseUrls,
    names: Sequence[str],
    *,
    prepare: Callable[[], None],
    reload: Callable[[], Settings],
    others: Sequence[Part] = (),
    manager: ServiceManager,
) -> None:
    """Run the named parts and others until SIGTERM; `prepare` is called when listeners are open, before they start."""
    current = CurrentSettings(settings, urls.service, reload)
    parts = [part for name in names for part in _parts(current, name, manager)]
    parts += others
    server = urls.server if urls.server is not None and urls.server.pid is not None else None
    _allow_open_files()
    remove_stale_files(settings.metrics_path)
    prepare()
    # Initializes the cryptography library before the fork: its memory is then shared.
    load_sealer(settings.master_key, settings.data_path)
    remove_metrics = partial(remove_process, settings.metrics_path)
    drain = settings.drain_seconds
    Supervisor(parts, server=server, drain_seconds=drain, on_exit=remove_metrics, manager=manager, reload=current).run()


def _allow_open_files() -> None:
    """Raise the limit of open files to the hard limit: idle connections soon exhaust the usual 1024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = MAX_OPEN_FILES if hard == resource.RLIM_INFINITY else min(MAX_OPEN_FILES, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, limit), hard))


def _parts(current: CurrentSettings, name: str, manager: ServiceManager) -> list[Part]:
    if name == "worker":
        return [_watched("worker", partial(_worker, current))]
    if name == "edge":
        return _edge_parts(current, manager)
    callers = _listen(current.settings, "api_port", current.settings.api_processes, manager)
    return [_watched("api", partial(_api, current, listener), [listener]) for listener in callers]


def _watched(name: str, run: RunPart, listeners: Sequence[socket.socket] = ()) -> Part:
    async def beat_and_run(pulse: Pulse) -> None:
        async with pulse.beating():
            await run(pulse)

    return Part(name, lambda pulse: uvloop.run(beat_and_run(pulse)), listeners, is_watched=True)


def _edge_parts(current: CurrentSettings, manager: ServiceManager) -> list[Part]:
    """Each process has its own sockets on both ports. The default certificate is created here, once for all of them."""
    settings = current.settings
    count = settings.edge_server_processes
    sites = _listen(settings, "site_port", count, manager)
    secure = _listen(settings, "site_tls_port", count, manager)
    default_certificate(settings.data_path)
    return [_watched("edge", partial(_edge, current, *each), each) for each in zip(sites, secure, strict=True)]


async def _api(current: CurrentSettings, listener: socket.socket, pulse: Pulse) -> None:
    settings, url = current.settings, current.database_url
    opened = open_resources(settings, url, name="api", lifecycle=LIFECYCLE, mail=MAIL, hashing=process_pool)
    async with opened as resources, heartbeat(resources, "api"):
        resources.metrics.report_process("api")
        watching = asyncio.create_task(resources.metrics.watch(resources.database.pool))
        app = create_app(resources)
        pulse.report_ready()
        await serve(app, listener, resources)
        watching.cancel()


async def _edge(current: CurrentSettings, listener: socket.socket, secure: socket.socket, pulse: Pulse) -> None:
    settings, url = current.settings, current.database_url
    hashing = process_pool if settings.acme_own_hosts else thread_pool
    opened = open_resources(
        settings,
        url,
        name="edge",
        lifecycle=LIFECYCLE,
        mail=MAIL,
        hashing=hashing,
        replica_url=settings.replica_database_url,
    )
    async with opened as resources, heartbeat(resources, "edge"), asyncio.TaskGroup() as group:
        resources.metrics.report_process("edge")
        sites = SiteListener(resources)
        working = group.create_task(sites.work())
        tls = Tls(secure, sites.certificates, resources.metrics.count_handshake)
        app = OwnHosts(sites, create_app(resources), resources) if settings.acme_own_hosts else sites
        pulse.report_ready()
        await serve(app, listener, resources, tls)
        working.cancel()


async def _worker(current: CurrentSettings, pulse: Pulse) -> None:
    from sitewright.kit.jobs.worker import run_worker  # noqa: PLC0415 - PgQueuer: 0.3 s, which only the worker needs

    os.nice(WORKER_NICENESS)
    settings, url = current.settings, current.database_url
    opened = open_resources(settings, url, name="worker", lifecycle=LIFECYCLE, mail=MAIL)
    async with opened as resources, heartbeat(resources, "worker"):
        resources.metrics.report_process("worker")
        pulse.report_ready()
        await run_worker(resources, JOB_KINDS, ALL_SCHEDULES, LOOPS)


def _listen(settings: Settings, setting: str, processes: int, manager: ServiceManager) -> list[socket.socket]:
    """The sockets that the service manager passed under the setting's name, or else new ones."""
    port: int = getattr(settings, setting)
    if passed := manager.sockets(setting):
        if len(passed) > processes:
            raise SettingsError(
                f"{len(passed)} sockets were passed for {setting}, but only {processes} processes use it."
            )
        port = passed[0].getsockname()[1]
        listeners = share_among(passed, processes)
    else:
        listeners = _listen_patiently(settings.host, port, f"SITEWRIGHT_{setting.upper()}", processes)
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
