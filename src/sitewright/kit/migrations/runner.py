"""Applies what is missing, in order, under one advisory lock. See CONTRIBUTING.md, "Changing the schema"."""

import re
from collections.abc import Sequence
from importlib.metadata import version

from sitewright import __version__
from sitewright.kit.login_role import ensure_login_role, login_role_of
from sitewright.kit.migrations import store
from sitewright.kit.migrations.applying import apply, run_in_a_transaction, run_outside_a_transaction
from sitewright.kit.migrations.errors import MigrationError
from sitewright.kit.migrations.roles import ensure_roles
from sitewright.kit.migrations.sources import Source, all_sources, upgrade_sources
from sitewright.kit.migrations.store import State
from sitewright.kit.pool import Connection
from sitewright.kit.primary import connect

_TABLE = re.compile(r"^create table (?:if not exists )?(\w+)", re.MULTILINE)
LAST_NUMBER = 32
"""The number of the last migration before the baselines."""
BEFORE_BASELINES = "0.2.0"
"""The last release without baselines. A database in which it applied one was made by a later, unreleased commit."""


async def migrate(
    owner_url: str, *, own_role: bool = True, sources: Sequence[Source] | None = None, release: str = __version__
) -> list[Source]:
    """Apply what is missing, and return it. Safe when several processes start at once, or are killed.

    `own_role`: no log-in was made for the service, so one is.
    """
    sources = all_sources() if sources is None else sources
    connection = await connect(owner_url, wait_seconds=10)
    try:
        await store.acquire_lock(connection)
        await store.set_timeouts(connection)
        await ensure_roles(connection)
        missing = await find_missing(connection, sources, release)
        await _install_queue(connection)
        await store.ensure_tables(connection)
        for source in missing:
            await _apply(connection, source, sources, release)
        if own_role:
            await ensure_login_role(connection, login_role_of(owner_url))
        return missing
    finally:
        await connection.close()


async def find_missing(
    connection: Connection, sources: Sequence[Source] | None = None, release: str = __version__
) -> list[Source]:
    """What `migrate` would apply. Raises where it would refuse the database; nothing is changed."""
    sources = all_sources() if sources is None else sources
    await _refuse_tables_of_others(connection, sources)
    state = await store.read_state(connection)
    _refuse_what_cannot_be_upgraded(state)
    if not _is_ahead(state, release):
        _refuse_changed_files(state, sources)
    return _missing(state, sources, release)


async def pending(connection: Connection) -> list[Source]:
    """What this release has and the database lacks. A database of a later release lacks nothing."""
    return _missing(await store.read_state(connection), all_sources(), __version__)


def _missing(state: State, sources: Sequence[Source], release: str) -> list[Source]:
    if _is_ahead(state, release):
        return []
    if not state.files and state.numbers:
        return [*upgrade_sources(), *(source for source in sources if not source.is_baseline)]
    return [source for source in sources if _is_missing(state, source)]


def _is_missing(state: State, source: Source) -> bool:
    applied = state.files.get(source.path)
    return applied is None or (source.is_reapplied and applied.checksum != source.checksum)


def _is_ahead(state: State, release: str) -> bool:
    """Whether a later release was here: in a rolling upgrade the earlier one must not put its functions back."""
    return any(_ordered(applied.release) > _ordered(release) for applied in state.files.values())


def _ordered(release: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", release)[:3]]


async def _apply(connection: Connection, source: Source, sources: Sequence[Source], release: str) -> None:
    indexes, upgrade = (each.path for each in upgrade_sources())
    if source.path == indexes:
        await run_outside_a_transaction(connection, source)  # not recorded: the next file completes the upgrade
    elif source.path == upgrade:
        await run_in_a_transaction(connection, source, [each for each in sources if each.is_baseline], release)
    else:
        await apply(connection, source, release)


async def _install_queue(connection: Connection) -> None:
    """Create or upgrade PgQueuer's own tables, unless this version of PgQueuer has already done so."""
    installed = version("pgqueuer")
    if await store.queue_version(connection) == installed:
        return
    from sitewright.kit.jobs.queue import install_queue  # noqa: PLC0415 - a third of a second, for this alone

    await install_queue(connection)
    await store.record_queue_version(connection, installed)


async def _refuse_tables_of_others(connection: Connection, sources: Sequence[Source]) -> None:
    """Before anything is changed: a database in which another application already uses a name of ours."""
    if await store.has_schema(connection):
        return
    names = [name for source in sources if source.is_baseline for name in _TABLE.findall(source.sql)]
    taken = await store.find_tables_of_others(connection, names)
    if taken:
        raise MigrationError(
            f"This database belongs to another application: it already has {', '.join(taken)}. Sitewright needs one of"
            " its own: create an empty database, and name it in SITEWRIGHT_DATABASE_URL. Nothing was changed."
        )


def _refuse_what_cannot_be_upgraded(state: State) -> None:
    """Before anything is changed."""
    if state.files or not state.numbers or state.numbers == frozenset(range(1, LAST_NUMBER + 1)):
        return
    found = f"This database has migrations up to {max(state.numbers):04}"
    if max(state.numbers) > LAST_NUMBER:
        raise MigrationError(
            f"{found}, which no release had: only databases with exactly {LAST_NUMBER:04} can be upgraded."
            " Restore a backup made by a release, or start with an empty database."
        )
    raise MigrationError(
        f"{found}; this release upgrades only those with all {LAST_NUMBER}. Start the previous release once"
        " (its `sitewright migrate` is enough), then this one. Nothing was changed."
    )


def _refuse_changed_files(state: State, sources: Sequence[Source]) -> None:
    changed = [
        source.path
        for source in sources
        if not source.is_reapplied and state.files.get(source.path, source).checksum != source.checksum
    ]
    if any(state.files[path].release == BEFORE_BASELINES for path in changed):
        raise MigrationError(
            f"This database was made by a commit between {BEFORE_BASELINES} and 0.3.0, which no release can upgrade:"
            f" {', '.join(changed)} was different then. Restore a backup made by a release, or start with an empty"
            " database. Nothing was changed."
        )
    if changed:
        raise MigrationError(
            f"{', '.join(changed)} was changed after it had been applied to this database (its checksum differs)."
            " Put the file back as it was, and make the change in a new numbered file: see CONTRIBUTING.md,"
            ' "Changing the schema". Nothing was changed.'
        )
