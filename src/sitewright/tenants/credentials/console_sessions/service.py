"""Sessions of the console. They end after 12 hours, or after one hour without a request.

The database stores only a digest of a session's secret. The secret names the operator's brand; system-owners have none.
"""

import hmac
from datetime import timedelta

from sitewright.kit import audit, clock, tokens
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.tenants.credentials.console_sessions import store
from sitewright.tenants.credentials.console_sessions.store import ConsoleSession, SessionOperator
from sitewright.tenants.credentials.errors import ConsoleSessionNotFound

__all__ = [
    "IDLE",
    "LIFETIME",
    "ConsoleSession",
    "SessionOperator",
    "begin",
    "brand_of",
    "choose_brand",
    "end",
    "end_all",
    "end_one",
    "end_others",
    "find_operator",
    "form_token",
    "is_form_token",
    "list_sessions",
]

LIFETIME = timedelta(hours=12)
IDLE = timedelta(hours=1)
CODE_LIFETIME = timedelta(minutes=10)
"""How long an operator may take to enter the one-time code after the password."""
TOUCH_EVERY = timedelta(minutes=1)
"""So that not every request writes."""
NO_BRAND = 0


async def begin(
    tx: Transaction, brand_ref: int | None, operator_ref: int, user_agent: str, *, awaits_code: bool = False
) -> str:
    """Begin a session of a locked operator of the transaction's brand, and return its secret."""
    now = clock.now()
    await store.delete_ended(tx, operator_ref, now, now - IDLE)
    secret = tokens.new_secret(brand_ref or NO_BRAND)
    expires_at = now + (CODE_LIFETIME if awaits_code else LIFETIME)
    digest, browser = tokens.digest_of(secret), tokens.printable(user_agent)
    await store.insert_session(tx, digest, operator_ref, now, expires_at, browser, awaits_code=awaits_code)
    if not awaits_code:
        await store.touch_operator(tx, operator_ref, now)
    return secret


def brand_of(secret: str) -> int | None:
    """The brand whose transaction finds the session; None for system-owners, and for what is no secret of ours."""
    return tokens.brand_of(secret)


async def find_operator(tx: Transaction, secret: str) -> SessionOperator | None:
    """The operator of a session, which this counts as a use of; None when it has ended or the operator was removed."""
    now = clock.now()
    found = await store.find_operator(tx, tokens.digest_of(secret), now, now - IDLE)
    if found is not None and now - found.seen_at >= TOUCH_EVERY:
        await store.touch(tx, found.session_ref, now)
        await store.touch_operator(tx, found.ref, now)
    return found


async def list_sessions(tx: Transaction, operator_ref: int, secret: str) -> list[ConsoleSession]:
    """The operator's sessions that have not ended, newest first; `secret` is that of the one that asks."""
    now = clock.now()
    return await store.list_sessions(tx, operator_ref, tokens.digest_of(secret), now, now - IDLE)


async def choose_brand(tx: Transaction, session_ref: int, brand_ref: int | None) -> None:
    """The brand that a system-owner works in from now on; it exists."""
    await store.choose_brand(tx, session_ref, brand_ref)


async def end(tx: Transaction, secret: str) -> int | None:
    """End the session; returns its operator."""
    return await store.delete_session(tx, tokens.digest_of(secret))


async def end_one(tx: Transaction, caller: Caller, operator_ref: int, session_ref: int) -> None:
    """End one of the operator's own sessions."""
    if not await store.delete_session_of(tx, operator_ref, session_ref):
        raise ConsoleSessionNotFound
    await _record(tx, caller, operator_ref, sessionRef=session_ref)


async def end_others(tx: Transaction, caller: Caller, operator_ref: int, secret: str) -> None:
    """End all of the operator's sessions but this one."""
    ended = await store.delete_sessions(tx, operator_ref, keep=tokens.digest_of(secret))
    await _record(tx, caller, operator_ref, sessions=ended)


async def end_all(tx: Transaction, operator_ref: int) -> None:
    await store.delete_sessions(tx, operator_ref)


def form_token(secret: str, brand_ref: int | None) -> str:
    """The token of a session's forms (CSRF protection). It also names the brand that the page was about, so that a page
    of one brand cannot change another one that was chosen in a second window."""
    return hmac.digest(secret.encode(), f"console form {brand_ref or NO_BRAND}".encode(), "sha256").hex()


def is_form_token(secret: str, brand_ref: int | None, sent: str) -> bool:
    return hmac.compare_digest(form_token(secret, brand_ref).encode(), sent.encode(errors="replace"))


async def _record(tx: Transaction, caller: Caller, operator_ref: int, **details: int) -> None:
    await audit.record_by(tx, caller, "end-sessions", "operator", operator_ref, **details)
