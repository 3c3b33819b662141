"""Kinds of failures of background work: they decide whether work stops, is retried, or goes on without one row."""

import traceback
from collections.abc import Iterator
from pathlib import Path

import asyncpg

from sitewright.kit.db import DATABASE_AWAY, NOT_MIGRATED
from sitewright.kit.problems import Unavailable

LONGEST_REASON = 300
TRANSIENT = (
    asyncpg.LockNotAvailableError,  # lock_timeout
    asyncpg.QueryCanceledError,  # statement_timeout
    asyncpg.TransactionRollbackError,  # deadlocks and serialization failures
)


def is_transient(error: BaseException) -> bool:
    """Whether the same work may succeed later, unchanged: a lock, a deadlock or a time limit was in its way."""
    return any(isinstance(each, TRANSIENT) for each in _causes(error))


def is_database_away(error: BaseException) -> bool:
    """Whether no work at all can be done just now, so that no row is to blame."""
    return not is_transient(error) and any(map(_is_away, _causes(error)))


def reason_of(error: BaseException) -> str:
    """The kind of error, its constraint and its place in the code. Messages may quote personal data: none is kept."""
    *_, cause = _causes(error)
    words = [type(cause).__name__]
    if isinstance(cause, asyncpg.PostgresError):
        named = (cause.sqlstate, getattr(cause, "constraint_name", None))
        words += [name for name in named if isinstance(name, str) and name]
    if frames := traceback.extract_tb(cause.__traceback__):
        own = [each for each in frames if "sitewright" in Path(each.filename).parts] or frames
        words.append(f"in {Path(own[-1].filename).name}, line {own[-1].lineno}")
    return " ".join(words)[:LONGEST_REASON]


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and those it was raised from."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__


def _is_away(error: BaseException) -> bool:
    if isinstance(error, asyncpg.InterfaceError):
        return not isinstance(error, ValueError)  # a closed connection, and not a value that does not fit its column
    return isinstance(error, (*DATABASE_AWAY, *NOT_MIGRATED, Unavailable, MemoryError))
