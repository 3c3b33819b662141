"""Observers of account domains and mailboxes, registered in `features.LIFECYCLE`."""

from collections.abc import Sequence

from sitewright.domains.dns import store
from sitewright.kit import clock
from sitewright.kit.db import Transaction


async def on_domains_registered(tx: Transaction, account_domain_refs: Sequence[int]) -> None:
    """Each gets a zone; the worker finds out whether the brand has a provider."""
    await store.insert_zones(tx, account_domain_refs, clock.now())


async def on_domains_released(tx: Transaction, account_domain_refs: Sequence[int]) -> None:
    await store.mark_removed(tx, account_domain_refs, clock.now())


async def on_mailboxes_changed(tx: Transaction, account_domain_refs: Sequence[int]) -> None:
    """The first mailbox of a domain, or the last one, changes the template of its zone."""
    await store.mark_due(tx, account_domain_refs, clock.now())
