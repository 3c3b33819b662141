"""Sessions in which an operator of the console works as an account holder ("log in as").

They last an hour, and only as long as the operator's session of the console, which the log-in pages check at every
request. The secret names its kind, so that requests of account holders cost nothing more. Begin and end are audited:
the end once, with the deletion of the session, by whichever is first: the operator's click, the first request after
the session became invalid, a change that ends all sessions of the user, or the worker after the hour.
"""

from datetime import timedelta

from sitewright.kit import audit, clock, tokens
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Database, Transaction
from sitewright.kit.tokens import operator_session_ends, store
from sitewright.kit.tokens.store import OperatorSession

LIFETIME = timedelta(hours=1)
_MARK = "as."
"""Behind the brand of a secret; random secrets contain no full stop."""

__all__ = ["LIFETIME", "OperatorSession", "begin", "end", "end_expired", "find", "is_operator_session"]


def is_operator_session(secret: str) -> bool:
    return secret.partition("-")[2].startswith(_MARK)


async def begin(
    tx: Transaction,
    caller: Caller,
    brand_ref: int,
    user_ref: int,
    operator_ref: int,
    console_session_ref: int,
    user_agent: str,
) -> str:
    """Returns the new session's secret. The user's row is locked, so that a concurrent `end_sessions` ends it too."""
    brand, _, random = tokens.new_secret(brand_ref).partition("-")
    secret, now = f"{brand}-{_MARK}{random}", clock.now()
    until = now + LIFETIME
    browser = tokens.printable(user_agent)
    digest = tokens.digest_of(secret)
    await store.insert_session(tx, digest, user_ref, now, until, browser, operator_ref, console_session_ref)
    await audit.record_by(tx, caller, "log-in-as", "user", user_ref, until=until)
    return secret


async def find(tx: Transaction, secret: str) -> OperatorSession | None:
    """A session that was not ended; it may have expired."""
    return await store.find_operator_session(tx, tokens.digest_of(secret))


async def end(tx: Transaction, secret: str, reason: str) -> int | None:
    """Returns the user whose session it was; None if it was ended before, or is of another brand."""
    ended = await store.delete_operator_session(tx, tokens.digest_of(secret))
    await operator_session_ends.record(tx, ended, reason)
    return ended[0].user_ref if ended else None


async def end_expired(database: Database) -> None:
    """In each brand, the sessions whose hour is over."""
    now = clock.now()
    async with database.transaction(None) as tx:
        brands = await store.brands_with_expired_operator_sessions(tx, now)
    for brand_ref in brands:
        async with database.transaction(brand_ref) as tx:
            ended = await store.delete_expired_operator_sessions(tx, now)
            await operator_session_ends.record(tx, ended, "expired")
