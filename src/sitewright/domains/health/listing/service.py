"""The addresses of a brand's sites (mapped host names) as its staff sees them, by the last health check."""

import msgspec

from sitewright.domains.health.checks import CHECKS
from sitewright.domains.health.findings import Status
from sitewright.domains.health.listing import store
from sitewright.domains.health.listing.store import ListedAddress
from sitewright.kit.db import Transaction
from sitewright.kit.hosts import normalize_part
from sitewright.kit.keyset import Page, PageRequest

__all__ = ["REASONS", "AddressFilter", "ListedAddress", "list_addresses"]
REASONS = tuple(CHECKS)
"""The codes of the checks, in their order: the first that fails is the reason."""


class AddressFilter(msgspec.Struct, frozen=True, kw_only=True):
    """`search`: a host name, or its beginning. `reason`: the first failing check of those that fail."""

    search: str | None = None
    health: Status | None = None
    reason: str | None = None


async def list_addresses(tx: Transaction, wanted: AddressFilter, page: PageRequest) -> Page[ListedAddress]:
    prefix = None if wanted.search is None else normalize_part(wanted.search)
    health = Status.FAILING if wanted.reason is not None and wanted.health is None else wanted.health
    return await store.list_addresses(tx, prefix, health, wanted.reason, page)
