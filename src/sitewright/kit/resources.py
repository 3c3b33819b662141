"""The shared resources of a process: database, keys, password hashing, authentication, metrics."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

import msgspec
from argon2 import PasswordHasher

from sitewright.kit import clock
from sitewright.kit.auth.argon2id import HASHER
from sitewright.kit.auth.authenticator import Authenticator
from sitewright.kit.auth.hashing import NewExecutor, thread_pool
from sitewright.kit.auth.passwords import Passwords
from sitewright.kit.auth.rate_limits import RateLimiter, RateLimits
from sitewright.kit.cpus import usable_cpus
from sitewright.kit.db import Database, open_database
from sitewright.kit.lifecycle import Lifecycle
from sitewright.kit.mail_features import MailFeatures
from sitewright.kit.metrics import Metrics
from sitewright.kit.opened import Opened
from sitewright.kit.origin import Proxies
from sitewright.kit.replicas import ReadDatabase, open_replicas
from sitewright.kit.sealing import Sealer, load_sealer
from sitewright.settings import Settings

EXTRA_THREADS = 4  # as in Python's default executor, which counts the machine's CPUs; they mostly wait for files


class Resources(msgspec.Struct, frozen=True, kw_only=True):
    settings: Settings
    database: Database
    reads: ReadDatabase
    """For queries that replicas may answer; without replicas, the database itself."""
    owner_url: str
    """Of the log-in that owns the tables, as far as this process knows one: see `kit.owner`."""
    sealer: Sealer
    passwords: Passwords
    authenticator: Authenticator
    login_rate_limiter: RateLimiter
    """The rate limits of the log-in page."""
    proxies: Proxies
    metrics: Metrics
    mail: MailFeatures
    opened: Opened
    """What features open once per process."""
    draining: asyncio.Event = msgspec.field(default_factory=asyncio.Event)
    """Set when the process is about to end: calls that wait for something respond at once."""


@asynccontextmanager
async def open_resources(
    settings: Settings,
    database_url: str,
    *,
    name: str,
    lifecycle: Lifecycle,
    mail: MailFeatures,
    hashing: NewExecutor = thread_pool,
    hasher: PasswordHasher = HASHER,
    replica_url: str = "",
) -> AsyncIterator[Resources]:
    """`lifecycle`: without its list of observers no process may change anything. `hashing`: where passwords are hashed.

    `hasher`: how; tests choose a cheaper one. `replica_url`: the replicas that this process may read from.
    """
    lifecycle.install()
    clock.shift(settings.clock_offset_seconds)
    cpus = usable_cpus()
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(cpus + EXTRA_THREADS))
    passwords = _open_passwords(settings, cpus, hashing, hasher)
    sealer = load_sealer(settings.master_key, settings.data_path)
    database = _open_database(settings, database_url, name)
    metrics = Metrics(settings.metrics_path)
    reads = ReadDatabase(database, open_replicas(settings, replica_url, name), metrics.count_replica_read)
    opened = Opened()
    try:
        async with database.watched(), database.closing_unused():
            yield Resources(
                settings=settings,
                database=database,
                reads=reads,
                owner_url=settings.owner_database_url or database_url,
                sealer=sealer,
                passwords=passwords,
                authenticator=Authenticator(sealer, passwords, settings),
                login_rate_limiter=RateLimiter(RateLimits.of_log_in(settings), sealer),
                proxies=Proxies(settings.trusted_proxies),
                metrics=metrics,
                mail=mail,
                opened=opened,
            )
    finally:
        await opened.close()
        await passwords.close()
        await reads.close()
        await database.close()


def _open_database(settings: Settings, url: str, name: str) -> Database:
    return open_database(
        url,
        connections=settings.database_connections,
        wait_seconds=settings.database_wait_seconds,
        name=name,
        own_role=settings.makes_login_role,
    )


def _open_passwords(settings: Settings, cpus: int, hashing: NewExecutor, hasher: PasswordHasher) -> Passwords:
    """The API processes of a node share its CPUs."""
    return Passwords(
        at_once=max(1, cpus // settings.api_processes),
        new_executor=hashing,
        hasher=hasher,
        log_in_places=max(1, settings.login_queue * cpus // settings.api_processes),
        hashing_wait_seconds=settings.hashing_wait_seconds,
    )
