"""Classification of failures of background work: stop, retry, or skip one row."""

import traceback
from collections.abc import Iterator
from pathlib import Path

import asyncpg

from sitewright.kit.db import DATABASE_OUTAGE, NOT_MIGRATED
from sitewright.kit.problems import Unavailable

MAX_REASON = 300
TRANSIENT = (
    asyncpg.LockNotAvailableError,  # lock_timeout
    asyncpg.QueryCanceledError,  # statement_timeout
    asyncpg.TransactionRollbackError,  # deadlocks and serialization failures
)


def is_transient(error: BaseException) -> bool:
    """Whether a retry may succeed: the cause was a lock, a deadlock or a timeout."""
    return any(isinstance(each, TRANSIENT) for each in _causes(error))


def is_database_unavailable(error: BaseException) -> bool:
    """Whether the database is unavailable, so that the failure is not caused by a row."""
    return not is_transient(error) and any(map(_is_unavailable, _causes(error)))


def reason_of(error: BaseException) -> str:
    """The class of the error, its constraint and its location. Messages may quote personal data and are omitted."""
    *_, cause = _causes(error)
    parts = [type(cause).__name__]
    if isinstance(cause, asyncpg.PostgresError):
        named = (cause.sqlstate, getattr(cause, "constraint_name", None))
        parts += [name for name in named if isinstance(name, str) and name]
    if frames := traceback.extract_tb(cause.__traceback__):
        own = [each for each in frames if "sitewright" in Path(each.filename).parts] or frames
        parts.append(f"in {Path(own[-1].filename).name}, line {own[-1].lineno}")
    return " ".join(parts)[:MAX_REASON]


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and those it was raised from."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__


def _is_unavailable(error: BaseException) -> bool:
    if isinstance(error, asyncpg.InterfaceError):
        return not isinstance(
            error, ValueError
        )  # a closed connection; a ValueError is a value that does not fit its column
    return isinstance(error, (*DATABASE_OUTAGE, *NOT_MIGRATED, Unavailable, MemoryError))
