"""Orders in 3 hours, certificates per registered domain and week, failed validations per host and hour.

Renewals inside the authority's renewal window are exempt, as they are at the authority.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sitewright.domains.certificates.acme.limits import store
from sitewright.domains.certificates.acme.limits.store import Limit
from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.kit.pruning import prune_in_batches
from sitewright.kit.public_suffixes import domain_of_holder
from sitewright.kit.resources import Resources
from sitewright.settings import Settings

ORDERS, CERTIFICATES, FAILURES = timedelta(hours=3), timedelta(days=7), timedelta(hours=1)
TEXTS = {
    "order": "This service orders at most {most} certificates in 3 hours.",
    "certificate": "This service orders at most {most} certificates for {subject} in a week.",
    "failure": "The certificate authority could not validate {subject} {most} times within an hour.",
}


class LimitReached(Exception):
    """`free_at`: when there is room again."""

    def __init__(self, detail: str, free_at: datetime) -> None:
        super().__init__(detail)
        self.free_at = free_at


async def reserve(tx: Transaction, settings: Settings, holder: int, names: Sequence[str], at: datetime) -> None:
    """Count an order for these names, in the transaction that begins it. Raises `LimitReached`."""
    domains = registered_domains(names)
    hosts = [name.removeprefix("*.") for name in names]
    limits = [
        Limit("order", "", settings.acme_orders_per_3_hours, ORDERS),
        *(Limit("certificate", each, settings.acme_certificates_per_domain_week, CERTIFICATES) for each in domains),
        *(Limit("failure", each, settings.acme_failures_per_host_hour, FAILURES) for each in dict.fromkeys(hosts)),
    ]
    await store.lock(tx)
    reached = await store.find_reached(tx, limits, at)
    if reached is not None:
        kind, subject, free_at = reached
        most = next(limit.most for limit in limits if limit.kind == kind)
        raise LimitReached(f"{TEXTS[kind].format(most=most, subject=subject)} The order waits.", free_at)
    await store.insert(tx, "order", [""], holder, at)
    await store.insert(tx, "certificate", domains, holder, at)


async def release_lost(tx: Transaction, holder: int, ordered_at: datetime | None) -> None:
    """A worker was killed before it had stored the order: no certificate came of it. The order itself counts on."""
    await store.release_after(tx, "certificate", holder, ordered_at)


async def release(
    tx: Transaction, holder: int, names: Sequence[str], at: datetime, *, with_order: bool = False
) -> None:
    """The order brought no certificate: it does not count towards those of the domain.

    `with_order`: the authority did not even get it, so that it does not count towards the orders either.
    """
    await store.release(tx, "certificate", registered_domains(names), holder, at)
    if with_order:
        await store.release(tx, "order", [""], holder, at)


async def count_failure(tx: Transaction, holder: int, hosts: Sequence[str]) -> None:
    await store.insert(tx, "failure", hosts, holder, clock.real_now())


def registered_domains(names: Sequence[str]) -> list[str]:
    """Each once: `example.co.uk` of `www.example.co.uk`, by the public suffix list."""
    return list(dict.fromkeys(domain_of_holder(name.removeprefix("*.")) for name in names))


async def prune(resources: Resources) -> None:
    """Nothing counts after a week."""
    older_than = clock.real_now() - CERTIFICATES
    await prune_in_batches(resources.database, lambda tx, limit: store.prune(tx, older_than, limit))
