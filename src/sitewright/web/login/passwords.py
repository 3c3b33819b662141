"""Logging in with user name and password. No connection is held while argon2 works.

Attempts are counted by address and name, whatever brand they ask for, so that asking for another gives no more of them.
"""

import msgspec

from sitewright.accounts.users import service as users
from sitewright.accounts.users.service import Candidate
from sitewright.kit.auth import store as auth_store
from sitewright.kit.auth.attempts import RateLimited, log_failure
from sitewright.kit.auth.login_queue import LogInQueueFull
from sitewright.kit.db import Lease
from sitewright.kit.origin import rate_limit_key
from sitewright.kit.resources import Resources
from sitewright.kit.text import key_of
from sitewright.tenants.brands import service as brands
from sitewright.web.login.destinations import destination
from sitewright.web.login.errors import AccountSuspended, SeveralAccounts, TooBusy, TooManyAttempts, WrongCredentials
from sitewright.web.login.service import LoggedIn, LogIn, begin_session, brand_seen_by

VERIFICATIONS_WITHOUT_BRAND = 2
"""So many at least for a wrong password, whether none, one or two brands know the name: time tells nobody."""


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    username: str
    password: str
    brand_ref: int | None
    """None: of whichever brand both fit."""
    address: str
    is_trusted: bool
    """Somebody has logged in from the address before."""
    request_id: str

    @property
    def verifications(self) -> int:
        return VERIFICATIONS_WITHOUT_BRAND if self.brand_ref is None else 1


class Fitting(msgspec.Struct, frozen=True):
    """Whom the password fits, and its new hash where the old one is out of date."""

    brand_ref: int
    user_ref: int
    password_hash: str
    new_hash: str | None


async def log_in_by_password(resources: Resources, attempt: Attempt, wanted: LogIn) -> LoggedIn:
    fitting = await _fitting(resources, attempt)
    async with resources.database.transaction(fitting.brand_ref) as tx:
        brand = await brands.settings_of_brand(tx)
        location = destination(wanted.target, brand, None)
        holder = await users.lock_holder(tx, fitting.user_ref)
        if holder is None or holder.is_gone or holder.password_hash != fitting.password_hash:
            raise WrongCredentials  # changed in this very moment
        if holder.is_suspended:
            seen = await brand_seen_by(tx, brand, holder)
            raise AccountSuspended(language=holder.language_code, brand=seen)
        if fitting.new_hash is not None:
            await users.store_rehashed_password(tx, holder.user_ref, fitting.new_hash)
        session = await begin_session(tx, brand.brand_ref, holder, wanted, by="password")
    return LoggedIn(brand_ref=brand.brand_ref, user_ref=holder.user_ref, location=location, session=session)


async def check_address(resources: Resources, address: str) -> bool:
    """The rate limit that needs nothing of the form, so that a refused address does not have its forms parsed.

    Tells whether anybody has logged in from there before.
    """
    limits = resources.log_ins.limits
    async with resources.database.connection() as connection:
        row = await auth_store.check_log_in_address(
            connection, limits.realm, rate_limit_key(address), limits.window_seconds, limits.address_cap
        )
    if row.retry_after is not None:
        raise TooManyAttempts(row.retry_after)
    return row.is_trusted


async def _fitting(resources: Resources, attempt: Attempt) -> Fitting:
    try:
        found = await _attempted(resources, attempt)
    except RateLimited as limited:
        raise TooManyAttempts(limited.retry_after) from None
    except LogInQueueFull as full:
        raise TooBusy(full.headers["Retry-After"]) from None
    if len(found) > 1:
        raise SeveralAccounts
    return found[0]


async def _attempted(resources: Resources, attempt: Attempt) -> list[Fitting]:
    """Whom the password fits: one at least. The attempt is counted before the password is verified."""
    budget = resources.log_ins
    pair = budget.pair(attempt.address, "user", key_of(attempt.username))
    async with budget.lock(pair), resources.database.lease() as lease:
        with resources.passwords.admit_log_in(pair.address, attempt.verifications, is_trusted=attempt.is_trusted):
            reserved, (holders, found) = await budget.attempt(lease, pair, lambda: _verified(resources, attempt, lease))
        connection = await lease.connection()
        if found:  # a name of one's own with another brand must not clear the guesses at somebody else's
            await auth_store.release_attempt(connection, reserved.ref, clears=len(holders) == 1)
            return found
        await auth_store.fail_attempt(connection, reserved.ref)
    reason = "wrongPassword" if holders else "unknownName"
    caller = f"user:{holders[0].user_ref}" if len(holders) == 1 else None
    log_failure(kind="login", reason=reason, address=attempt.address, request_id=attempt.request_id, caller=caller)
    raise WrongCredentials


async def _verified(resources: Resources, attempt: Attempt, lease: Lease) -> tuple[list[Candidate], list[Fitting]]:
    """All who have the name, with any brand, and those whom the password fits."""
    connection = await lease.connection()
    candidates = holders = await users.list_log_in_candidates(connection, attempt.username, None)
    if attempt.brand_ref is not None:
        candidates = await users.list_log_in_candidates(connection, attempt.username, attempt.brand_ref)
    lease.give_back()
    found = []
    for each in candidates:
        known = each.password_hash
        if await resources.passwords.verify(attempt.password, known) and known is not None:
            is_old = resources.passwords.needs_rehash(known)
            new_hash = await resources.passwords.hash(attempt.password, each.brand_ref) if is_old else None
            found.append(Fitting(each.brand_ref, each.user_ref, known, new_hash))
    if not found:
        for _ in range(attempt.verifications - len(candidates)):
            await resources.passwords.verify(attempt.password, None)
    return holders, found
