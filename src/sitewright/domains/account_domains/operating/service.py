"""Lists domains, renews one early, and retries registrars: of any brand for operators of the service, or of one brand
for its staff."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from sitewright.accounts.account_packages.add_ons import service as add_ons
from sitewright.accounts.account_packages.errors import DoesNotRenew
from sitewright.domains.account_domains import service
from sitewright.domains.account_domains import store as domains
from sitewright.domains.account_domains.errors import AccountDomainNotFound
from sitewright.domains.account_domains.operating import store
from sitewright.domains.account_domains.operating.store import ListedDomain
from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.hosts import normalize_part
from sitewright.kit.keyset import Page, PageRequest
from sitewright.kit.resources import Resources

__all__ = [
    "DomainFilter",
    "ListedDomain",
    "State",
    "find_of_brand",
    "list_domains",
    "list_of_brand",
    "renew_domain",
    "retry_domain",
    "retry_domains",
    "retry_failed",
    "show_domain",
    "state_of",
]
State = Literal["failed", "pending", "active", "expired", "deleted"]
"""`failed`: the registrar refused, or gave no clear response so far, whatever else applies."""


class DomainFilter(msgspec.Struct, frozen=True, kw_only=True):
    """`search`: a name, or its beginning."""

    search: str | None = None
    state: State | None = None
    user_ref: int | None = None
    refs: Sequence[int] | None = None
    """Only these."""


async def list_of_brand(tx: Transaction, wanted: DomainFilter, page: PageRequest) -> Page[ListedDomain]:
    """Deleted ones too."""
    prefix = None if wanted.search is None else normalize_part(wanted.search)
    return await store.list_of_brand(tx, prefix, wanted.state, wanted.user_ref, wanted.refs, page)


async def find_of_brand(tx: Transaction, ref: int) -> ListedDomain:
    """Deleted or not."""
    found = await store.find_domain(tx, ref)
    if found is None:
        raise AccountDomainNotFound
    return found


async def retry_domain(tx: Transaction, actor: Caller, ref: int) -> bool:
    """Calls the registrar again now, for what is missing; deleted domains too, which it may not have released.

    Returns False, and does nothing, if it has released the domain or never had it.
    """
    found = await find_of_brand(tx, ref)
    if found.released_at is not None:
        return False
    await domains.mark_due(tx, [ref], clock.now())
    await audit.record_by(tx, actor, "retry", "account domain", ref)
    return True


async def retry_failed(tx: Transaction, actor: Caller) -> int:
    """The same for all domains of the brand that failed and are not released; returns how many."""
    refs = await store.find_failing(tx)
    if refs:
        await domains.mark_due(tx, refs, clock.now())
        await audit.record_each_by(tx, actor, "retry", "account domain", refs)
    return len(refs)


def state_of(domain: ListedDomain) -> str:
    if domain.failure is not None:
        return "failed"
    return domain.status if domain.deleted_at is None else "deleted"


async def list_domains(
    resources: Resources, brand_ref: int | None, *, failed_only: bool, limit: int
) -> list[ListedDomain]:
    """Of one brand or of all, brand by brand, newest first."""
    found: list[ListedDomain] = []
    for each in await _brands(resources, brand_ref):
        async with resources.database.transaction(each) as tx:
            found += await store.list_domains(tx, failed_only=failed_only, limit=limit - len(found))
    return found


async def show_domain(resources: Resources, ref: int) -> ListedDomain:
    """Deleted or not."""
    async with resources.database.transaction(await _brand_of(resources, ref)) as tx:
        return await find_of_brand(tx, ref)


async def renew_domain(resources: Resources, actor: Caller, ref: int) -> ListedDomain:
    """One more period, charged now; the worker notifies the registrar."""
    brand_ref = await _brand_of(resources, ref)
    async with resources.database.transaction(brand_ref) as tx:
        domain = await service.find_by_ref(tx, actor, ref, lock=True)
        if domain.ended_at is not None:
            raise DoesNotRenew("The domain has expired and its name is free; it can be bought again, not renewed.")
        await add_ons.renew_add_on(tx, resources.sealer, actor, domain.user_ref, domain.account_package_ref)
        await audit.record_by(tx, actor, "renew", "account domain", ref)
    return await show_domain(resources, ref)


async def retry_domains(resources: Resources, actor: Caller, ref: int | None, brand_ref: int | None) -> int:
    """Retries one domain, or all that a registrar failed to process; returns how many."""
    brands = [await _brand_of(resources, ref)] if ref is not None else await _brands(resources, brand_ref)
    retried = 0
    for each in brands:
        async with resources.database.transaction(each) as tx:
            if ref is None:
                retried += await retry_failed(tx, actor)
            else:
                retried += await retry_domain(tx, actor, ref)
    return retried


async def _brands(resources: Resources, brand_ref: int | None) -> list[int]:
    if brand_ref is not None:
        return [brand_ref]
    return await service.brands_with_domains(resources)


async def _brand_of(resources: Resources, ref: int) -> int:
    async with resources.database.connection() as connection:
        brand_ref = await store.brand_of_domain(connection, ref)
    if brand_ref is None:
        raise AccountDomainNotFound("There is no account domain with this ref.")
    return brand_ref
