"""Authenticates requests (OAuth 1.0a, HTTP Basic) in one statement; failures are rate-limited and logged."""

import base64
import binascii
import hmac
import os
from collections.abc import Callable
from functools import lru_cache
from typing import Literal

import msgspec

from sitewright.kit import clock
from sitewright.kit.auth import oauth1, store
from sitewright.kit.auth.caller import Caller, Role
from sitewright.kit.auth.large_forms import LARGE_FORM, LargeForms
from sitewright.kit.auth.passwords import Passwords
from sitewright.kit.auth.rate_limits import Pair, RateLimited, RateLimiter, RateLimits, log_failure
from sitewright.kit.auth.uses import Uses
from sitewright.kit.db import Lease
from sitewright.kit.origin import rate_limit_key
from sitewright.kit.problems import Forbidden, Problem, TooManyRequests, Unauthenticated
from sitewright.kit.sealing import Sealer
from sitewright.settings import Settings

TIMESTAMP_TOLERANCE_SECONDS = 300
DUMMY = "dummy"
MAX_CACHED = 1024
MAX_AUTHORIZATION = 8 * 1024
"""Characters; an OAuth header with all parameters at their maximum is shorter."""


class SecondFactorRequired(Forbidden):
    code = "secondFactorRequired"
    title = "This operator logs in with a one-time code"
    detail = (
        "HTTP Basic has no place for a one-time code, which this operator has switched on. Sign calls with the OAuth"
        " credentials of a program instead."
    )


class AuthenticationRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of a request that authentication reads."""

    parts: oauth1.SignedParts
    body: bytes
    address: str
    request_id: str = ""
    expect_body_hash: Callable[[str, set[str]], None] | None = None
    """Set where the body is read after authentication: it then fails if the body does not have the signed hash."""


class Authenticator:
    def __init__(self, sealer: Sealer, passwords: Passwords, settings: Settings) -> None:
        self._unsealed = lru_cache(maxsize=MAX_CACHED)(sealer.unseal)  # secrets of recent callers, in memory only
        self._rate_limiter = RateLimiter(RateLimits.of_api(settings), sealer)
        self._large_forms = LargeForms()
        self._passwords = passwords
        self._basic = VerifiedPasswordCache(passwords, settings.remember_password_seconds)
        self._dummy_secret = sealer.seal(os.urandom(32).hex().encode(), DUMMY)
        self.uses = Uses()

    async def authenticate(self, request: AuthenticationRequest, lease: Lease) -> Caller:
        """The caller, whose use is written later."""
        caller = await self._identify(request, lease)
        self.uses.add(caller)
        return caller

    async def _identify(self, request: AuthenticationRequest, lease: Lease) -> Caller:
        """Failures are logged, except missing credentials and rate-limited requests."""
        parts = request.parts
        if len(parts.authorization or "") > MAX_AUTHORIZATION:
            _log_failure(request, "other", "malformed")
            raise Unauthenticated(f"The Authorization header may hold at most {MAX_AUTHORIZATION // 1024} KiB.")
        scheme = (parts.authorization or "").partition(" ")[0].lower()
        try:
            if scheme == "basic":
                return await self._operator(request, lease)
            if scheme == "oauth" or (not scheme and "oauth_signature" in f"{parts.query}&{parts.form or ''}"):
                return await self._signer(request, lease)
        except RateLimited as limited:
            raise TooManyRequests(headers={"Retry-After": str(limited.retry_after)}) from None
        if parts.authorization:
            _log_failure(request, "other", "unsupportedScheme")
            raise Unauthenticated("This Authorization header is neither OAuth 1.0a nor HTTP Basic.")
        raise Unauthenticated

    async def _signer(self, request: AuthenticationRequest, lease: Lease) -> Caller:
        claim = await self._read_claim(request, lease)
        pair = self._rate_limiter.pair(request.address, "oauth", claim.consumer_key)
        row = await self._find_credential(claim, pair, lease)
        body = request.body if request.expect_body_hash is None else None
        if not self._signature_matches(claim, row, body):
            reserved = await self._rate_limiter.reserve(lease, pair, is_pending=False)
            reason = "unknownKey" if row.credential_ref is None else "wrongSignature"
            raise _wrong(request, "oauth", reason, row.name, reserved.retry_after)
        if not row.is_enabled:  # not counted as a failure: a reseller that is enabled again can call at once
            raise _wrong(request, "oauth", "disabledReseller", row.name, None)
        if not await self._nonce_is_fresh(claim, row, lease):
            _log_failure(request, "oauth", "replayedNonce", row.name)
            raise Unauthenticated(
                "This oauth_nonce was used before. Sign every request with a new nonce, also a repeated one."
            )
        if claim.body_hash is not None and request.expect_body_hash is not None:
            request.expect_body_hash(claim.body_hash, oauth1.hash_algorithms(claim))
        if row.failures:
            await store.clear_failures(await lease.connection(), pair.address, pair.key)
        return Caller(
            role=Role(row.role or ""),
            name=f"credential:{row.credential_ref}",
            brand_ref=row.brand_ref,
            reseller_ref=row.reseller_ref,
        )

    async def _read_claim(self, request: AuthenticationRequest, lease: Lease) -> oauth1.Claim:
        try:
            if len(request.parts.form or "") > LARGE_FORM:
                claim = await self._read_large_claim(request, lease)
            else:
                claim = oauth1.read_claim(request.parts)
        except oauth1.MalformedClaim as malformed:
            _log_failure(request, "oauth", "malformed")
            raise Unauthenticated(str(malformed)) from None
        if abs(clock.real_now().timestamp() - claim.timestamp) > TIMESTAMP_TOLERANCE_SECONDS:
            _log_failure(request, "oauth", "timestamp")
            raise Unauthenticated("oauth_timestamp is more than 300 seconds away from our clock. Correct your clock.")
        return claim

    async def _read_large_claim(self, request: AuthenticationRequest, lease: Lease) -> oauth1.Claim:
        """Check the address's rate limit first: reading a large form costs more than that statement."""
        limits, address = self._rate_limiter.limits, rate_limit_key(request.address)
        connection = await lease.connection()
        row = await store.check_log_in_address(
            connection, limits.realm, address, limits.window_seconds, limits.address_cap
        )
        if row.retry_after is not None:
            raise RateLimited(row.retry_after)
        lease.release()
        return await self._large_forms.read_claim(request.parts, address)

    async def _find_credential(self, claim: oauth1.Claim, pair: Pair, lease: Lease) -> store.CredentialRow:
        limits = self._rate_limiter.limits
        row = await store.find_credential(
            await lease.connection(),
            claim.consumer_key,
            claim.nonce,
            pair.address,
            pair.key,
            limits.window_seconds,
            limits.per_pair,
            limits.per_address,
        )
        if row.refused:
            raise RateLimited(row.retry_after or 1)
        return row

    async def _nonce_is_fresh(self, claim: oauth1.Claim, row: store.CredentialRow, lease: Lease) -> bool:
        if row.nonce_is_fresh is None and row.credential_ref is not None:
            return await store.use_nonce(await lease.connection(), row.credential_ref, claim.nonce)
        return row.nonce_is_fresh is True

    def _signature_matches(self, claim: oauth1.Claim, row: store.CredentialRow, body: bytes | None) -> bool:
        """Does the same work for known and unknown keys, so that timing does not reveal which exist.

        Raises `MasterKeyError` if the secrets cannot be decrypted: whether the signature is right remains open.
        """
        consumer_secret = self._unseal(row.consumer_secret, claim.consumer_key, "consumer")
        access_secret = self._unseal(row.access_secret, claim.consumer_key, "access")
        matches = oauth1.signature_matches(claim, consumer_secret, access_secret, body)
        matches &= hmac.compare_digest((row.access_token or "").encode(), claim.access_token.encode())
        return matches and row.credential_ref is not None

    def _unseal(self, sealed: bytes | None, consumer_key: str, kind: str) -> str:
        if sealed is None:
            return self._unsealed(self._dummy_secret, DUMMY).decode()
        return self._unsealed(sealed, secret_context(consumer_key, kind)).decode()

    async def _operator(self, request: AuthenticationRequest, lease: Lease) -> Caller:
        try:
            username, password = _read_basic(request.parts.authorization or "")
        except Unauthenticated:
            _log_failure(request, "basic", "malformed")
            raise
        pair = self._rate_limiter.pair(request.address, "basic", username)
        row = await self._find_operator(username, pair, lease)
        if not self._basic.is_cached(username, password, row.password_hash):
            lease.release()  # argon2 is slow, and other requests need connections
            async with self._rate_limiter.lock(pair):
                row = await self._find_operator(username, pair, lease)
                if not self._basic.is_cached(username, password, row.password_hash):
                    lease.release()
                    await self._verify(request, pair, lease, row, username, password)
        if row.has_second_factor:  # the password alone is not enough
            raise SecondFactorRequired
        return Caller(role=Role(row.role or ""), name=f"operator:{row.operator_ref}", brand_ref=row.brand_ref)

    async def _verify(
        self,
        request: AuthenticationRequest,
        pair: Pair,
        lease: Lease,
        row: store.OperatorRow,
        username: str,
        password: str,
    ) -> None:
        with self._passwords.admit_log_in(pair.address, is_trusted=row.is_trusted):
            reserved, right = await self._rate_limiter.attempt(
                lease, pair, lambda: self._basic.verify(username, password, row.password_hash)
            )
            connection = await lease.connection()
            if right:
                await store.release_attempt(connection, reserved.ref, clears=True)
                return
            await store.fail_attempt(connection, reserved.ref)
        reason = "unknownName" if row.operator_ref is None else "wrongPassword"
        raise _wrong(request, "basic", reason, row.name, reserved.retry_after)

    async def _find_operator(self, username: str, pair: Pair, lease: Lease) -> store.OperatorRow:
        limits = self._rate_limiter.limits
        row = await store.find_operator(
            await lease.connection(), username, pair.address, pair.key, limits.window_seconds, limits.per_pair
        )
        if row.retry_after is not None:
            raise RateLimited(row.retry_after)
        return row


class VerifiedPasswordCache:
    """Verifies Basic passwords, and caches successes briefly, as keyed digests of name, password and hash.

    Every request reads the hash from the database, so a changed or revoked operator misses the cache.
    """

    def __init__(self, passwords: Passwords, seconds: int) -> None:
        self._passwords = passwords
        self._seconds = seconds
        self._digest_key = os.urandom(32)
        self._expiry: dict[bytes, float] = {}

    def is_cached(self, username: str, password: str, password_hash: str | None) -> bool:
        digest = self._digest(username, password, password_hash or "")
        return self._expiry.get(digest, 0) > clock.stopwatch()

    async def verify(self, username: str, password: str, password_hash: str | None) -> bool:
        if self.is_cached(username, password, password_hash):
            return True
        right = await self._passwords.verify(password, password_hash)
        if right and self._seconds:
            if len(self._expiry) >= MAX_CACHED:
                self._expiry.clear()
            digest = self._digest(username, password, password_hash or "")
            self._expiry[digest] = clock.stopwatch() + self._seconds
        return right

    def _digest(self, *texts: str) -> bytes:
        return hmac.digest(self._digest_key, msgspec.json.encode(texts), "sha256")


def secret_context(consumer_key: str, kind: str) -> str:
    """The context (associated data) that an encrypted OAuth secret is bound to."""
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


_WHAT_TO_CHECK = {
    "oauth": "These credentials are not right. Check key, secret and how the request is signed.",
    "basic": "These credentials are not right. Check the user name and the password.",
}


def _wrong(
    request: AuthenticationRequest,
    kind: Literal["oauth", "basic"],
    reason: str,
    caller: str | None,
    retry_after: int | None,
) -> Problem:
    """The response to wrong credentials: beyond the address's budget, the rate-limit response."""
    _log_failure(request, kind, reason, caller)
    if retry_after is not None:
        return TooManyRequests(headers={"Retry-After": str(retry_after)})
    return Unauthenticated(_WHAT_TO_CHECK[kind])


def _log_failure(request: AuthenticationRequest, kind: str, reason: str, caller: str | None = None) -> None:
    log_failure(kind=kind, reason=reason, address=request.address, request_id=request.request_id, caller=caller)
