"""Log-in with user name and password. No connection is held while argon2 runs.

The rate limit counts attempts by address and name across brands, so that trying other brands gives no more attempts.
"""

import msgspec

from sitewright.accounts.users import service as users
from sitewright.accounts.users.service import Candidate
from sitewright.kit.auth import store as auth_store
from sitewright.kit.auth.login_queue import LogInQueueFull
from sitewright.kit.auth.rate_limits import RateLimited, log_failure
from sitewright.kit.db import Lease
from sitewright.kit.origin import rate_limit_key
from sitewright.kit.resources import Resources
from sitewright.kit.text import key_of
from sitewright.tenants.brands import service as brands
from sitewright.web.login.destinations import destination
from sitewright.web.login.errors import AccountSuspended, SeveralAccounts, TooBusy, TooManyAttempts, WrongCredentials
from sitewright.web.login.service import LoggedIn, LogIn, begin_session, brand_for

VERIFICATIONS_WITHOUT_BRAND = 2
"""Minimum number of password verifications without a brand, so that the response time does not reveal how many brands
have a user of that name."""


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    username: str
    password: str
    brand_ref: int | None
    """None: any brand in which name and password match."""
    address: str
    is_trusted: bool
    """Whether there was a successful log-in from the address before."""
    request_id: str

    @property
    def verifications(self) -> int:
        return VERIFICATIONS_WITHOUT_BRAND if self.brand_ref is None else 1


class Match(msgspec.Struct, frozen=True):
    """An account that the password matches, with a new hash where the old one has outdated parameters."""

    brand_ref: int
    user_ref: int
    password_hash: str
    new_hash: str | None


async def log_in_by_password(resources: Resources, attempt: Attempt, options: LogIn) -> LoggedIn:
    match = await _single_match(resources, attempt)
    async with resources.database.transaction(match.brand_ref) as tx:
        brand = await brands.settings_of_brand(tx)
        location = destination(options.target, brand, None)
        holder = await users.lock_holder(tx, match.user_ref)
        if holder is None or holder.is_deleted or holder.password_hash != match.password_hash:
            raise WrongCredentials  # deleted, or the password changed, since it was verified
        if holder.is_suspended:
            branded = await brand_for(tx, brand, holder)
            raise AccountSuspended(language=holder.language_code, brand=branded)
        if match.new_hash is not None:
            await users.store_rehashed_password(tx, holder.user_ref, match.new_hash)
        session = await begin_session(tx, brand.brand_ref, holder, options, by="password")
    return LoggedIn(brand_ref=brand.brand_ref, user_ref=holder.user_ref, location=location, session=session)


async def check_address(resources: Resources, address: str) -> bool:
    """Check the rate limit of the address before the form is parsed.

    Returns whether there was a successful log-in from the address before.
    """
    limits = resources.login_rate_limiter.limits
    async with resources.database.connection() as connection:
        row = await auth_store.check_log_in_address(
            connection, limits.realm, rate_limit_key(address), limits.window_seconds, limits.address_cap
        )
    if row.retry_after is not None:
        raise TooManyAttempts(row.retry_after)
    return row.is_trusted


async def _single_match(resources: Resources, attempt: Attempt) -> Match:
    """Return the only matching account; rate limits and a full queue become errors of the log-in page."""
    try:
        found = await _verify_rate_limited(resources, attempt)
    except RateLimited as limited:
        raise TooManyAttempts(limited.retry_after) from None
    except LogInQueueFull as full:
        raise TooBusy(full.headers["Retry-After"]) from None
    if len(found) > 1:
        raise SeveralAccounts
    return found[0]


async def _verify_rate_limited(resources: Resources, attempt: Attempt) -> list[Match]:
    """Return the matching accounts, at least one; else raise. The rate limit counts the attempt before verifying it."""
    limiter = resources.login_rate_limiter
    pair = limiter.pair(attempt.address, "user", key_of(attempt.username))
    async with limiter.lock(pair), resources.database.lease() as lease:
        with resources.passwords.admit_log_in(pair.address, attempt.verifications, is_trusted=attempt.is_trusted):
            reserved, (holders, found) = await limiter.attempt(lease, pair, lambda: _verify(resources, attempt, lease))
        connection = await lease.connection()
        if found:
            # The count of failures is reset only if no other brand has this name: otherwise an attacker could reset it
            # by logging in to an account of the same name in another brand.
            await auth_store.release_attempt(connection, reserved.ref, clears=len(holders) == 1)
            return found
        await auth_store.fail_attempt(connection, reserved.ref)
    reason = "wrongPassword" if holders else "unknownName"
    caller = f"user:{holders[0].user_ref}" if len(holders) == 1 else None
    log_failure(kind="login", reason=reason, address=attempt.address, request_id=attempt.request_id, caller=caller)
    raise WrongCredentials


async def _verify(resources: Resources, attempt: Attempt, lease: Lease) -> tuple[list[Candidate], list[Match]]:
    """Return all accounts with the name in any brand, and those that the password matches."""
    connection = await lease.connection()
    candidates = holders = await users.list_log_in_candidates(connection, attempt.username, None)
    if attempt.brand_ref is not None:
        candidates = await users.list_log_in_candidates(connection, attempt.username, attempt.brand_ref)
    lease.release()
    found = []
    for each in candidates:
        stored = each.password_hash
        if await resources.passwords.verify(attempt.password, stored) and stored is not None:
            is_outdated = resources.passwords.needs_rehash(stored)
            new_hash = await resources.passwords.hash(attempt.password, each.brand_ref) if is_outdated else None
            found.append(Match(each.brand_ref, each.user_ref, stored, new_hash))
    if not found:
        for _ in range(attempt.verifications - len(candidates)):
            await resources.passwords.verify(attempt.password, None)
    return holders, found
