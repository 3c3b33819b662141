"""What changes of other features mean for health checks. An unmapped host loses its row by its foreign key."""

from collections.abc import Sequence
from datetime import timedelta

from sitewright.domains.health import store
from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.sites.sites.hooks import MappedDomain

SERVED_AFTER = timedelta(seconds=1)
"""By then every edge server is notified of a new certificate."""


async def on_domains_mapped(tx: Transaction, mapped: Sequence[MappedDomain]) -> None:
    if mapped:
        await store.add_mapped(tx, [each.ref for each in mapped], clock.now())


async def on_hosts_certified(tx: Transaction, domain_refs: Sequence[int]) -> None:
    """Observes certificates: what was found out before they were there no longer holds."""
    if domain_refs:
        await store.make_due(tx, domain_refs, clock.now() + SERVED_AFTER)


async def on_domains_ended(tx: Transaction, account_domain_refs: Sequence[int]) -> None:
    await store.delete_account_domains(tx, account_domain_refs)


async def erase_user(tx: Transaction, user_ref: int) -> None:
    await store.delete_of_user(tx, user_ref)
