"""Locks of a group, always in the same order: its mapped hosts, their health checks, the group, its certificates.

Unmapping a host and checking its health lock in this order too, so that none of them can wait for one another.
"""

from sitewright.domains.certificates.acme import store
from sitewright.domains.certificates.acme.store import Group
from sitewright.domains.certificates.acme.work import Work
from sitewright.domains.certificates.hooks import hosts_certified
from sitewright.kit.db import Transaction
from sitewright.sites.sites.domains import service as site_domains


async def lock_group(tx: Transaction, work: Work) -> Group | None:
    """The group, whose hosts stay mapped until the transaction ends; None if its lease is lost."""
    await _hold_hosts(tx, work)
    return await store.lock_group(tx, work.item)


async def lock_certified_group(tx: Transaction, work: Work) -> Group | None:
    """As `lock_group`, for a group that gets a certificate: observers of `hosts_certified` come before the group."""
    await hosts_certified.notify(tx, await _hold_hosts(tx, work))
    return await store.lock_group(tx, work.item)


async def _hold_hosts(tx: Transaction, work: Work) -> list[int]:
    return await site_domains.hold(tx, await store.domain_refs_of(tx, work.item.ref))
