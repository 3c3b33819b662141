"""From a request's credentials to its caller, in one statement; wrong ones are counted and slowed down."""

import asyncio
import base64
import binascii
import hmac
import os
from datetime import datetime
from functools import lru_cache
from weakref import WeakValueDictionary

import msgspec

from sitewright.kit import clock
from sitewright.kit.auth import oauth1, store
from sitewright.kit.auth.caller import Caller, Role
from sitewright.kit.auth.passwords import Passwords
from sitewright.kit.db import Lease
from sitewright.kit.problems import TooManyRequests, Unauthenticated
from sitewright.kit.sealing import Sealer
from sitewright.settings import Settings

TIMESTAMP_TOLERANCE_SECONDS = 300
UNKNOWN_KEY = ""
NOBODY = "nobody"
MAX_REMEMBERED = 1024
LARGE_FORM = 64 * 1024
"""Bytes from which on the fields of a signed form are collected off the event loop."""
MAX_AUTHORIZATION = 8 * 1024
"""Characters; an OAuth header of all parameters at their longest holds less."""


class Presented(msgspec.Struct, frozen=True, kw_only=True):
    """What a request shows of who sends it."""

    parts: oauth1.SignedParts
    body: bytes
    address: str


class Authenticator:
    def __init__(self, sealer: Sealer, passwords: Passwords, settings: Settings) -> None:
        self._opened = lru_cache(maxsize=MAX_REMEMBERED)(sealer.unseal)  # secrets of recent callers, in memory only
        self._window_seconds = settings.failure_window_seconds
        self._limit_per_key = settings.failures_per_key
        self._limit_of_unknown_keys = settings.failures_of_unknown_keys
        self._basic = RememberedPasswords(passwords, settings.remember_password_seconds)
        self._guesses = Guesses()
        self._nobodys_secret = sealer.seal(os.urandom(32).hex().encode(), NOBODY)

    async def authenticate(self, presented: Presented, lease: Lease) -> Caller:
        parts = presented.parts
        if len(parts.authorization or "") > MAX_AUTHORIZATION:
            raise Unauthenticated(f"The Authorization header may hold at most {MAX_AUTHORIZATION // 1024} KiB.")
        scheme = (parts.authorization or "").partition(" ")[0].lower()
        if scheme == "basic":
            return await self._operator(presented, lease)
        if scheme == "oauth" or (not scheme and "oauth_signature" in f"{parts.query}&{parts.form or ''}"):
            return await self._signer(presented, lease)
        if parts.authorization:
            raise Unauthenticated("This Authorization header is neither OAuth 1.0a nor HTTP Basic.")
        raise Unauthenticated

    async def _signer(self, presented: Presented, lease: Lease) -> Caller:
        try:
            is_large = len(presented.parts.form or "") > LARGE_FORM
            reading = asyncio.to_thread(oauth1.read_claim, presented.parts) if is_large else None
            claim = await reading if reading else oauth1.read_claim(presented.parts)
        except oauth1.MalformedClaim as malformed:
            raise Unauthenticated(str(malformed)) from None
        if abs(clock.real_now().timestamp() - claim.timestamp) > TIMESTAMP_TOLERANCE_SECONDS:
            raise Unauthenticated("oauth_timestamp is more than 300 seconds away from our clock. Set yours right.")
        connection = await lease.connection()
        row = await store.find_credential(
            connection, claim.consumer_key, claim.nonce, presented.address, self._window_seconds
        )
        self._refuse_the_throttled(row.failures, row.oldest_failure, known=row.credential_ref is not None)
        right = self._signature_is_right(claim, row, presented.body)
        key = claim.consumer_key if row.credential_ref is not None else UNKNOWN_KEY
        if right and not row.nonce_is_fresh:
            raise Unauthenticated("This oauth_nonce was used before. Sign every request anew, also a repeated one.")
        await self._count(lease, presented.address, key, row.failures, right=right)
        return Caller(
            role=Role(row.role or ""),
            name=f"credential:{row.credential_ref}",
            brand_ref=row.brand_ref,
            reseller_ref=row.reseller_ref,
        )

    def _signature_is_right(self, claim: oauth1.Claim, row: store.CredentialRow, body: bytes) -> bool:
        """The same work whether the key is known or not, so that time does not tell."""
        consumer_secret = self._unseal(row.consumer_secret, claim.consumer_key, "consumer")
        access_secret = self._unseal(row.access_secret, claim.consumer_key, "access")
        right = oauth1.signature_is_right(claim, consumer_secret, access_secret, body)
        right &= hmac.compare_digest((row.access_token or "").encode(), claim.access_token.encode())
        return right and row.credential_ref is not None

    def _unseal(self, sealed: bytes | None, consumer_key: str, kind: str) -> str:
        if sealed is None:
            return self._opened(self._nobodys_secret, NOBODY).decode()
        return self._opened(sealed, secret_context(consumer_key, kind)).decode()

    async def _operator(self, presented: Presented, lease: Lease) -> Caller:
        username, password = _read_basic(presented.parts.authorization or "")
        row = await self._find_operator(presented, lease, username)
        if not self._basic.remembers(username, password, row.password_hash):
            lease.give_back()  # argon2 takes its time, and others need connections
            key = username if row.operator_ref is not None else UNKNOWN_KEY
            async with self._guesses.one_at_a_time((presented.address, key)):
                row = await self._find_operator(presented, lease, username)
                lease.give_back()
                right = await self._basic.verify(username, password, row.password_hash)
                await self._count(lease, presented.address, key, row.failures, right=right)
        return Caller(role=Role(row.role or ""), name=f"operator:{row.operator_ref}", brand_ref=row.brand_ref)

    async def _find_operator(self, presented: Presented, lease: Lease, username: str) -> store.OperatorRow:
        connection = await lease.connection()
        row = await store.find_operator(connection, username, presented.address, self._window_seconds)
        self._refuse_the_throttled(row.failures, row.oldest_failure, known=row.operator_ref is not None)
        return row

    def _refuse_the_throttled(self, failures: int, oldest: datetime | None, *, known: bool) -> None:
        if oldest is None or failures < (self._limit_per_key if known else self._limit_of_unknown_keys):
            return
        wait = self._window_seconds - (clock.real_now() - oldest).total_seconds()
        raise TooManyRequests(headers={"Retry-After": str(max(1, round(wait)))})

    async def _count(self, lease: Lease, address: str, key: str, failures: int, *, right: bool) -> None:
        if not right:
            await store.record_failure(await lease.connection(), address, key)
            raise Unauthenticated("These credentials are not right. Check key, secret and how the request is signed.")
        if failures:
            await store.clear_failures(await lease.connection(), address, key)


class Guesses:
    """Passwords of one pair of address and key are verified one after another, so that the tenth failure is counted
    before the eleventh guess, however many come together."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()

    def one_at_a_time(self, pair: tuple[str, str]) -> asyncio.Lock:
        lock = self._locks.get(pair)
        if lock is None:
            lock = self._locks[pair] = asyncio.Lock()
        return lock


class RememberedPasswords:
    """Verifies Basic passwords, and remembers for a moment, as a keyed digest, which one fitted which hash.

    The hash comes fresh from the database with every call, so a changed or revoked operator is never remembered.
    """

    def __init__(self, passwords: Passwords, seconds: int) -> None:
        self._passwords = passwords
        self._seconds = seconds
        self._digest_key = os.urandom(32)
        self._remembered: dict[bytes, float] = {}

    def remembers(self, username: str, password: str, password_hash: str | None) -> bool:
        fit = self._digest(username, password, password_hash or "")
        return self._remembered.get(fit, 0) > clock.stopwatch()

    async def verify(self, username: str, password: str, password_hash: str | None) -> bool:
        if self.remembers(username, password, password_hash):
            return True
        right = await self._passwords.verify(password, password_hash)
        if right and self._seconds:
            if len(self._remembered) >= MAX_REMEMBERED:
                self._remembered.clear()
            fit = self._digest(username, password, password_hash or "")
            self._remembered[fit] = clock.stopwatch() + self._seconds
        return right

    def _digest(self, *texts: str) -> bytes:
        return hmac.digest(self._digest_key, msgspec.json.encode(texts), "sha256")


def secret_context(consumer_key: str, kind: str) -> str:
    """What a sealed OAuth secret is bound to."""
    return f"api_credentials/{consumer_key}/{kind}"


def _read_basic(authorization: str) -> tuple[str, str]:
    try:
        text = base64.b64decode(authorization.partition(" ")[2].strip(), validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        raise Unauthenticated("The Basic credentials are not base64 of user:password in UTF-8.") from None
    username, colon, password = text.partition(":")
    if not colon or "\0" in text or not 1 <= len(username) <= oauth1.MAX_LENGTH:
        raise Unauthenticated("The Basic credentials must be user:password.")
    return username, password
