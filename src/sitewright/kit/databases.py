"""Selects the database of a command: the configured one, or the embedded one, which is started if necessary."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import msgspec

from sitewright.kit import clock
from sitewright.kit.connection_budget import OUTSIDE_POOL, connections_needed
from sitewright.kit.embedded import EmbeddedPostgres, FolderInUse, FolderLock
from sitewright.settings import Settings

SERVE_LOCK = "serve.lock"
RESERVED = 10  # for superusers, the server itself and commands
LOCK_WAIT_SECONDS = 120  # several commands may wait, and each starts and stops a server


class DatabaseUrls(msgspec.Struct, frozen=True):
    service: str
    owner: str
    server: EmbeddedPostgres | None = None


@contextmanager
def database_for(settings: Settings, *, serving: bool = False) -> Iterator[DatabaseUrls]:
    """The configured database, or the embedded one.

    `serve` runs the embedded server. Other commands use that of a running `serve`, or start one for their own duration;
    a server that another short command started is not shared, since it ends with that command.
    """
    if settings.database_url:
        yield DatabaseUrls(settings.database_url, settings.owner_database_url or settings.database_url)
        return
    settings.data_path.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        if serving:
            stack.callback(FolderLock(settings.data_path / SERVE_LOCK, patient=True).release)
        yield stack.enter_context(_embedded(settings, shared=not serving))


@contextmanager
def _embedded(settings: Settings, *, shared: bool) -> Iterator[DatabaseUrls]:
    server = _running_or_started(settings, shared=shared)
    try:
        yield DatabaseUrls(server.url, server.url, server)
    finally:
        server.stop()


def _running_or_started(settings: Settings, *, shared: bool) -> EmbeddedPostgres:
    """Retries while the folder is locked by a `serve` that is still starting, or by another short command."""
    deadline = clock.stopwatch() + LOCK_WAIT_SECONDS
    while True:
        if shared and (running := _database_of_serve(settings)) is not None:
            return running
        needed = connections_needed(settings, list(OUTSIDE_POOL)) + RESERVED
        server = EmbeddedPostgres(settings.data_path, connections=needed)
        try:
            server.start()
        except FolderInUse:
            if clock.stopwatch() > deadline:
                raise
            time.sleep(0.1)
        else:
            return server


def _database_of_serve(settings: Settings) -> EmbeddedPostgres | None:
    is_serving = FolderLock.is_held(settings.data_path / SERVE_LOCK)
    return EmbeddedPostgres.running(settings.data_path) if is_serving else None
