"""How each kind of drift is read: its statement, and what a row of it means."""

from collections.abc import Awaitable, Callable

import asyncpg

from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.kit.keyset import Page, PageRequest
from sitewright.provisioning.drift import store
from sitewright.provisioning.drift.kinds import Drift, DriftKind, Facts

Reader = Callable[[Transaction, PageRequest], Awaitable[Page[Drift]]]


async def _paid_not_live(tx: Transaction, page: PageRequest) -> Page[Drift]:
    def drift(row: asyncpg.Record) -> Drift:
        code = "noSite" if row["newest"] is None else "offline" if row["is_published"] else "neverPublished"
        return Drift(
            kind="paidNotLive",
            key=row["sort_ref"],
            code=code,
            user_ref=row["user_ref"],
            site_ref=row["newest"],
            package_ref=row["package_ref"],
        )

    return (await store.paid_not_live(tx, page)).of(drift)


async def _live_not_paid(tx: Transaction, page: PageRequest) -> Page[Drift]:
    def drift(row: asyncpg.Record) -> Drift:
        return Drift(
            kind="liveNotPaid",
            key=row["sort_ref"],
            code="notInPackage" if row["allowed"] == 0 else "moreThanPackage",
            user_ref=row["user_ref"],
            site_ref=row["newest"],
            package_ref=row["package_ref"],
            facts=Facts(number=row["number"], limit=row["allowed"]),
        )

    return (await store.live_not_paid(tx, page)).of(drift)


def _of_mailboxes(kind: DriftKind, code: str) -> Callable[[asyncpg.Record], Drift]:
    def drift(row: asyncpg.Record) -> Drift:
        return Drift(
            kind=kind,
            key=row["sort_ref"],
            code=code,
            user_ref=row["user_ref"],
            account_domain_ref=row["account_domain_ref"],
            facts=Facts(number=row["number"], name=row["domain"]),
        )

    return drift


async def _suspended_served(tx: Transaction, page: PageRequest) -> Page[Drift]:
    drift = _of_mailboxes("suspendedServed", "mailReceived")
    return (await store.suspended_served(tx, page)).of(drift)


async def _mailbox_without_domain(tx: Transaction, page: PageRequest) -> Page[Drift]:
    drift = _of_mailboxes("mailboxWithoutDomain", "notRegistered")
    return (await store.mailbox_without_domain(tx, page)).of(drift)


async def _domain_elsewhere(tx: Transaction, page: PageRequest) -> Page[Drift]:
    def drift(row: asyncpg.Record) -> Drift:
        return Drift(
            kind="domainElsewhere",
            key=row["sort_ref"],
            code="leadsElsewhere",
            user_ref=row["user_ref"],
            site_ref=row["site_ref"],
            domain_ref=row["domain_ref"],
            facts=Facts(name=row["domain"]),
        )

    return (await store.domain_elsewhere(tx, page)).of(drift)


async def _certificate_expiring(tx: Transaction, page: PageRequest) -> Page[Drift]:
    now = clock.real_now()

    def drift(row: asyncpg.Record) -> Drift:
        return Drift(
            kind="certificateExpiring",
            key=row["sort_ref"],
            code="expired" if row["not_after"] <= now else "expiresSoon",
            user_ref=row["user_ref"],
            site_ref=row["site_ref"],
            domain_ref=row["domain_ref"],
            certificate_ref=row["certificate_ref"],
            facts=Facts(name=row["domain"], at=row["not_after"]),
        )

    return (await store.certificate_expiring(tx, page, now)).of(drift)


async def _unclaimed_account(tx: Transaction, page: PageRequest) -> Page[Drift]:
    def drift(row: asyncpg.Record) -> Drift:
        return Drift(kind="unclaimedAccount", key=row["sort_ref"], code="noExternalId", user_ref=row["user_ref"])

    return (await store.unclaimed_account(tx, page)).of(drift)


READERS: dict[DriftKind, Reader] = {
    "paidNotLive": _paid_not_live,
    "liveNotPaid": _live_not_paid,
    "suspendedServed": _suspended_served,
    "domainElsewhere": _domain_elsewhere,
    "certificateExpiring": _certificate_expiring,
    "mailboxWithoutDomain": _mailbox_without_domain,
    "unclaimedAccount": _unclaimed_account,
}
"""In the order of the list."""
