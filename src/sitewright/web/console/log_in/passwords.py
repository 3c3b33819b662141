"""Verify the password of an operator, within the rate limits and the queue of the log-in page of account holders."""

import msgspec

from sitewright.kit.auth import store as auth_store
from sitewright.kit.auth.login_queue import LogInQueueFull
from sitewright.kit.auth.rate_limits import RateLimited, log_failure
from sitewright.kit.auth.store import OperatorRow
from sitewright.kit.origin import rate_limit_key
from sitewright.kit.resources import Resources
from sitewright.web.console.log_in.errors import TooBusy, TooManyAttempts, WrongCredentials

KIND = "operator"
"""Failures of operators are counted apart from those of account holders with the same name."""


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    username: str
    password: str
    address: str
    request_id: str


async def check_address(resources: Resources, address: str) -> bool:
    """Check the rate limit of the address; returns whether there was a successful log-in from it before."""
    limits = resources.login_rate_limiter.limits
    async with resources.database.connection() as connection:
        row = await auth_store.check_log_in_address(
            connection, limits.realm, rate_limit_key(address), limits.window_seconds, limits.address_cap
        )
    if row.retry_after is not None:
        raise TooManyAttempts(row.retry_after)
    return row.is_trusted


async def verify(resources: Resources, attempt: Attempt, *, is_trusted: bool) -> OperatorRow:
    """The operator whose name and password these are. The attempt is counted before it is verified."""
    limiter = resources.login_rate_limiter
    pair = limiter.pair(attempt.address, KIND, attempt.username)
    try:
        async with limiter.lock(pair), resources.database.lease() as lease:
            limits = limiter.limits
            found = await auth_store.find_operator(
                await lease.connection(),
                attempt.username,
                pair.address,
                pair.key,
                limits.window_seconds,
                limits.per_pair,
            )
            with resources.passwords.admit_log_in(pair.address, is_trusted=is_trusted):
                reserved, is_right = await limiter.attempt(
                    lease, pair, lambda: resources.passwords.verify(attempt.password, found.password_hash)
                )
            connection = await lease.connection()
            if is_right and found.operator_ref is not None:
                await auth_store.release_attempt(connection, reserved.ref, clears=True)
                return found
            await auth_store.fail_attempt(connection, reserved.ref)
    except RateLimited as limited:
        raise TooManyAttempts(limited.retry_after) from None
    except LogInQueueFull as full:
        raise TooBusy(int(full.headers["Retry-After"])) from None
    reason = "unknownName" if found.operator_ref is None else "wrongPassword"
    log_failure(
        kind="console", reason=reason, address=attempt.address, request_id=attempt.request_id, caller=found.name
    )
    raise WrongCredentials
