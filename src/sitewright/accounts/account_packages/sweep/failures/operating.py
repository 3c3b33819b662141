"""Operator commands and metrics for users whose due packages could not be changed."""

from sitewright.accounts.account_packages.errors import NoSuchFailure
from sitewright.accounts.account_packages.sweep.failures import store
from sitewright.accounts.account_packages.sweep.failures.store import Failure, Key
from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.metrics import gauge


async def list_failures(connection: Transaction, brand_ref: int | None, limit: int) -> list[Failure]:
    return await store.list_failures(connection, brand_ref, limit)


async def retry(tx: Transaction, actor: Caller, brand_ref: int | None, user_ref: int | None) -> list[Key]:
    """Has the next sweep retry them: one user, a brand's, or all."""
    retried = await store.retry(tx, brand_ref, user_ref, clock.now())
    if user_ref is not None and not retried:
        raise NoSuchFailure
    if retried:
        await audit.record_of(tx, actor, "retry", "due packages", user_ref, None, brand=brand_ref, users=len(retried))
    return retried


async def figures(connection: Transaction) -> bytes:
    """For Prometheus."""
    count = await store.count_dead_letters(connection)
    help_text = "Users whose due packages wait for the operator (dead letters): sitewright billing stuck."
    return gauge("sitewright_billing_stuck_users", help_text, count)
