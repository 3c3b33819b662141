"""Observers of domain health and of sites, registered in `features.LIFECYCLE`.

They only record what changed and make a group due: nothing is ordered in the transaction of a request.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from sitewright.domains.certificates import service as certificates
from sitewright.domains.certificates.acme import groups, reasons, store
from sitewright.domains.certificates.names import WILDCARD
from sitewright.domains.dns import service as dns
from sitewright.kit import clock
from sitewright.kit.db import Transaction

if TYPE_CHECKING:
    from sitewright.domains.health.hooks import HostChecked

SETTLE = timedelta(seconds=2)
"""A new group waits so long, so that a name and its `www` that are mapped together get one certificate."""


async def on_host_checked(tx: Transaction, checked: "HostChecked") -> None:
    """Observes domain health: a host that points here is to get its certificate, others wait until they do.

    Where it is not known, nothing changes.
    """
    if checked.points_here is None:
        return
    name, is_wildcard = groups.group_of(checked.host, await dns.managed_zone(tx, checked.host))
    former, has_changed = await store.save_host(tx, checked.domain_ref, name, points_here=checked.points_here)
    now = clock.now()
    if has_changed:
        await store.make_due(tx, name, now, now + SETTLE, is_wildcard=is_wildcard)
        if former not in (None, name):
            await store.make_due_now_by_name(tx, former, now)
    elif checked.points_here:
        await store.make_due_if_idle(tx, name, now, was_given_up=checked.is_requested)


async def on_subscriptions_begun(tx: Transaction, user_refs: Sequence[int]) -> None:
    """Observes packages: the hosts that waited for one with automatic certificates are looked at again."""
    await store.make_due_of_users(tx, user_refs, reasons.NOT_IN_PACKAGE, clock.now())


async def on_domains_unmapped(tx: Transaction, domains: Sequence[str]) -> None:
    """Observes sites: a group without any host left is deleted, and its wildcard is no longer served."""
    found = await store.groups_named(tx, groups.candidate_groups(domains))
    ended = [name for name, has_hosts in found if not has_hosts]
    if ended:
        await store.delete_groups(tx, ended)
        await certificates.unbind_automatic(tx, [WILDCARD + name for name in ended])
