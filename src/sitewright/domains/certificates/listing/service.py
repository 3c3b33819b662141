"""The certificates of a brand as its staff sees them: names, kind of key and end, by days left."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Literal

import msgspec

from sitewright.domains.certificates.errors import CertificateNotFound
from sitewright.domains.certificates.listing import store
from sitewright.domains.certificates.listing.store import CertificateDetails, CertificateRow
from sitewright.domains.certificates.schemas import Source
from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.kit.keyset import Page, PageRequest

__all__ = [
    "CertificateDetails",
    "CertificateFilter",
    "CertificateRow",
    "Source",
    "State",
    "find_certificate",
    "list_certificates",
    "state_of",
]
WEEK, MONTH = timedelta(days=7), timedelta(days=30)
State = Literal["expired", "within7Days", "within30Days", "valid", "replaced"]
"""By the days left, as the figures of the brand count them: `within30Days` but not within 7, and `valid` longer.
`replaced`: it ends within 30 days, but is served for no name, or for each there is one that lasts longer.
Automatic ones are `valid` until their renewal is late, as `expires_soon` has it."""
USUAL_LIFETIME, LATE = timedelta(days=90), 14 / 90


class CertificateFilter(msgspec.Struct, frozen=True, kw_only=True):
    """`name` is a host name, or the beginning of one."""

    name: str | None = None
    state: State | None = None
    source: Source | None = None


async def list_certificates(tx: Transaction, wanted: CertificateFilter, page: PageRequest) -> Page[CertificateRow]:
    now = clock.real_now()
    ends: dict[State | None, store.Ends] = {
        None: store.Ends(),
        "expired": store.Ends(until=now, is_replaced=False, is_renewed=False),
        "within7Days": store.Ends(now, now + WEEK, is_replaced=False, is_renewed=False),
        "within30Days": store.Ends(now + WEEK, now + MONTH, is_replaced=False, is_renewed=False),
        "valid": store.Ends(now + MONTH, is_renewed=True),
        "replaced": store.Ends(until=now + MONTH, is_replaced=True, is_renewed=False),
    }
    return await store.list_certificates(tx, wanted.name, wanted.source, ends[wanted.state], now, page)


async def find_certificate(tx: Transaction, ref: int) -> CertificateDetails:
    found = await store.find_certificate(tx, ref)
    if found is None:
        raise CertificateNotFound
    return found


def state_of(row: CertificateRow) -> State:
    left = row.not_after - clock.real_now()
    if left > MONTH or (
        row.source == "automatic" and left > min(row.not_after - row.not_before, USUAL_LIFETIME) * LATE
    ):
        return "valid"
    if row.is_replaced:
        return "replaced"
    return "expired" if left <= timedelta() else "within7Days" if left <= WEEK else "within30Days"


async def names_of(tx: Transaction, refs: Sequence[int]) -> dict[int, str]:
    """The host name that each certificate was uploaded for."""
    return await store.names_of(tx, refs)
