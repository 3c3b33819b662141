"""Secrets given out to account holders: what works once (log-in, reset, verification), and sessions.

A secret is 256 random bits behind its brand's ref, so that a page that is shown one knows which brand to look in. The
database keeps only its digest.
"""

import hashlib
import secrets
from datetime import timedelta
from typing import Literal

from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.kit.tokens import store
from sitewright.kit.tokens.store import Claimed
from sitewright.kit.validation import parse_ref

Kind = Literal["login", "reset", "verification", "profileEmail"]
LIFETIMES: dict[Kind, timedelta] = {
    "login": timedelta(hours=1),
    "reset": timedelta(hours=1),
    "verification": timedelta(hours=24),
    "profileEmail": timedelta(hours=24),
}
MAX_LENGTH = 100

__all__ = [
    "Claimed",
    "Kind",
    "brand_of",
    "claim",
    "digest_of",
    "end_sessions",
    "forget_user",
    "issue",
    "new_secret",
    "take_back",
]


def new_secret(brand_ref: int) -> str:
    return f"{brand_ref}-{secrets.token_urlsafe(32)}"


def brand_of(secret: str) -> int | None:
    """Which brand a secret says it is of; whether it is one is for `claim` to tell."""
    ref, separator, rest = secret.partition("-")
    return parse_ref(ref) if separator and rest and len(secret) <= MAX_LENGTH else None


def digest_of(secret: str, bound_to: str = "") -> bytes:
    """`bound_to`: what the secret is good for; with anything else it is unknown."""
    return hashlib.sha256(f"{secret}\n{bound_to}".encode() if bound_to else secret.encode()).digest()


async def issue(
    tx: Transaction, kind: Kind, brand_ref: int, user_ref: int, site_ref: int | None = None, *, bound_to: str = ""
) -> str:
    secret = new_secret(brand_ref)
    digest, now = digest_of(secret, bound_to), clock.now()
    await store.insert_token(tx, digest, kind, brand_ref, user_ref, site_ref, now, now + LIFETIMES[kind])
    return secret


async def claim(
    tx: Transaction, kind: Kind, secret: str, user_ref: int | None = None, *, bound_to: str = ""
) -> Claimed | None:
    """Use it up. None when it is unknown, used, expired, of another kind or of another user; of many that try at the
    same time, one succeeds."""
    if brand_of(secret) is None:
        return None
    return await store.claim_token(tx, digest_of(secret, bound_to), kind, user_ref, clock.now())


async def take_back(tx: Transaction, user_ref: int, *kinds: Kind) -> None:
    """Make the user's unused tokens of these kinds worthless."""
    await store.void_tokens(tx, user_ref, kinds, clock.now())


async def end_sessions(tx: Transaction, user_ref: int) -> None:
    await store.delete_sessions(tx, user_ref)


async def forget_user(tx: Transaction, user_ref: int) -> None:
    """Every token and session of the user goes."""
    await store.delete_tokens(tx, user_ref)
    await store.delete_sessions(tx, user_ref)
