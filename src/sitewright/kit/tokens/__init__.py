"""Secrets of account holders: one-time tokens, whose kinds the features declare, and sessions.

A secret is 256 random bits behind its brand's ref, so that a page can read the brand from the secret. The database
stores only its digest.
"""

import hashlib
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.kit.tokens import operator_session_ends, store
from sitewright.kit.tokens.store import Claimed, FoundToken, Session
from sitewright.kit.validation import parse_ref

MAX_LENGTH = 100
MAX_USER_AGENT = 300

__all__ = [
    "Claimed",
    "FoundToken",
    "Session",
    "TokenKind",
    "begin_session",
    "brand_of",
    "claim",
    "digest_of",
    "end_session",
    "end_sessions",
    "erase_user",
    "find",
    "issue",
    "issued_since",
    "list_sessions",
    "new_secret",
    "nth_newest",
    "owner_of",
    "printable",
    "revoke",
]


class TokenKind(msgspec.Struct, frozen=True):
    """One kind of one-time token. The database stores its name."""

    name: str
    lifetime: timedelta


def new_secret(brand_ref: int) -> str:
    return f"{brand_ref}-{secrets.token_urlsafe(32)}"


def brand_of(secret: str) -> int | None:
    """The brand that a secret names. Whether the secret is valid is checked by `claim`."""
    ref, separator, rest = secret.partition("-")
    return parse_ref(ref) if separator and rest and len(secret) <= MAX_LENGTH else None


def digest_of(secret: str, bound_to: str = "") -> bytes:
    """`bound_to`: what the secret is valid for; with any other value the digest is another one."""
    return hashlib.sha256(f"{secret}\n{bound_to}".encode() if bound_to else secret.encode()).digest()


async def issue(
    tx: Transaction, kind: TokenKind, brand_ref: int, user_ref: int, site_ref: int | None = None, *, bound_to: str = ""
) -> str:
    secret = new_secret(brand_ref)
    digest, now = digest_of(secret, bound_to), clock.now()
    await store.insert_token(tx, digest, kind.name, brand_ref, user_ref, site_ref, now, now + kind.lifetime)
    return secret


async def claim(
    tx: Transaction, kind: TokenKind, secret: str, user_ref: int | None = None, *, bound_to: str = ""
) -> Claimed | None:
    """Use the token, once. None: it is unknown, used, expired, of another kind or user. Of several concurrent claims
    one succeeds."""
    if brand_of(secret) is None:
        return None
    return await store.claim_token(tx, digest_of(secret, bound_to), kind.name, user_ref, clock.now())


async def owner_of(tx: Transaction, secret: str) -> int | None:
    """The user a token was issued to, whatever its state."""
    return await store.owner_of(tx, digest_of(secret))


async def find(tx: Transaction, kind: TokenKind, secret: str, *, bound_to: str = "") -> FoundToken | None:
    """A token of that kind, usable or not, without using it."""
    return await store.find_token(tx, digest_of(secret, bound_to), kind.name, clock.now())


async def nth_newest(tx: Transaction, kind: TokenKind, user_ref: int, nth: int, since: datetime) -> datetime | None:
    """When the nth newest of the user's tokens of a kind was issued, of those issued since."""
    return await store.nth_newest(tx, kind.name, user_ref, nth, since)


async def begin_session(
    tx: Transaction, brand_ref: int, user_ref: int, now: datetime, lifetime: timedelta, user_agent: str = ""
) -> str:
    """Returns the new session's secret. The user's row is locked, so that a concurrent `end_sessions` ends it too."""
    secret = new_secret(brand_ref)
    await store.insert_session(tx, digest_of(secret), user_ref, now, now + lifetime, printable(user_agent))
    return secret


def printable(user_agent: str) -> str:
    return "".join(each for each in user_agent[:MAX_USER_AGENT] if each.isprintable())


async def list_sessions(tx: Transaction, user_ref: int, current: str) -> list[Session]:
    """The user's sessions that have not expired, newest first; `current` is the secret of the one that asks."""
    return await store.list_sessions(tx, user_ref, digest_of(current), clock.now())


async def end_session(tx: Transaction, secret: str) -> int | None:
    """Returns the user whose session it was."""
    return await store.delete_session(tx, digest_of(secret))


async def revoke(tx: Transaction, user_ref: int, *kinds: TokenKind) -> None:
    """Revoke the user's unused tokens of these kinds."""
    await store.revoke_tokens(tx, user_ref, [kind.name for kind in kinds], clock.now())


async def issued_since(tx: Transaction, kind: TokenKind, user_refs: Sequence[int], since: datetime) -> dict[int, int]:
    """How many tokens of a kind were issued to each of the users, for rate limits."""
    return await store.issued_since(tx, kind.name, user_refs, since)


async def end_sessions(tx: Transaction, user_ref: int) -> None:
    ended = await store.delete_sessions(tx, user_ref)
    await operator_session_ends.record(tx, ended, "all sessions ended")


async def erase_user(tx: Transaction, user_ref: int) -> None:
    """Delete every token and session of the user."""
    await store.delete_tokens(tx, user_ref)
    await end_sessions(tx, user_ref)
