"""The rules of account domains. A domain's holder is locked before the domain."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

import msgspec
from msgspec import UNSET

from sitewright.accounts.account_packages import service as account_packages
from sitewright.accounts.account_packages.add_ons import service as add_ons
from sitewright.accounts.account_packages.add_ons.service import AddOn
from sitewright.accounts.account_packages.errors import DoesNotRenew
from sitewright.accounts.account_packages.schemas import RenewalRequest
from sitewright.accounts.search import service as search
from sitewright.accounts.users import service as users
from sitewright.accounts.users.errors import Anonymized, UserNotFound
from sitewright.accounts.users.service import User
from sitewright.catalogue.packages import service as packages
from sitewright.domains.account_domains import checks, presenters, store
from sitewright.domains.account_domains.errors import AccountDomainNotFound
from sitewright.domains.account_domains.jobs import Domains, reconcile, registration_of
from sitewright.domains.account_domains.orders import store as orders
from sitewright.domains.account_domains.orders.store import TAKEN, Product
from sitewright.domains.account_domains.requests import AccountDomainChanges, NewAccountDomain
from sitewright.domains.account_domains.schemas import AccountDomainDetails, DomainHolder, ListedAccountDomain
from sitewright.domains.account_domains.store import AccountDomain
from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.hosts import normalize
from sitewright.kit.links import host_of
from sitewright.kit.paging import Page, Window, cut_by_size
from sitewright.kit.resources import Resources
from sitewright.settings import Settings
from sitewright.sites.sites.errors import DomainTaken, PackageLimitReached
from sitewright.tenants.brands import service as brands

__all__ = [
    "TAKEN",
    "AccountDomain",
    "NewAccountDomain",
    "brands_with_domains",
    "buy_domain",
    "delete_domain",
    "find_account_domain",
    "find_by_name",
    "find_by_ref",
    "find_registered",
    "get_account_domain_details",
    "list_account_domain_details",
    "list_account_domains",
    "page_of_account_domains",
    "publish_ds",
    "reconcile_now",
    "set_auto_renew",
]
Sizes: TypeAlias = dict[int, int]


async def find_account_domain(
    tx: Transaction, caller: Caller, user_ref: int, account_domain_ref: int, *, lock: bool = False
) -> AccountDomain:
    """A user's account domain. `lock`: takes row locks on its holder and on it.

    Raises UserNotFound for a user the caller cannot access, and AccountDomainNotFound for a domain that is not theirs.
    """
    await users.find_user(tx, caller, user_ref, lock=lock)
    if lock:
        await store.lock(tx, account_domain_ref)
    found = await store.find(tx, account_domain_ref)
    if found is None or found.deleted or found.user_ref != user_ref:
        raise AccountDomainNotFound
    return found


async def find_by_ref(tx: Transaction, caller: Caller, account_domain_ref: int, *, lock: bool = False) -> AccountDomain:
    """An account domain that is not deleted, and whose holder the caller has access to."""
    found = await store.find(tx, account_domain_ref)
    if found is None:
        raise AccountDomainNotFound
    try:
        return await find_account_domain(tx, caller, found.user_ref, account_domain_ref, lock=lock)
    except UserNotFound:
        raise AccountDomainNotFound from None


async def find_registered(tx: Transaction, account_domain_ref: int) -> AccountDomain | None:
    """An account domain of the transaction's brand, deleted or not."""
    return await store.find(tx, account_domain_ref)


async def find_by_name(tx: Transaction, domain: str) -> AccountDomain | None:
    """The account domain of the transaction's brand that has this name, and has not ended."""
    return await store.find_by_name(tx, domain)


async def list_account_domains(tx: Transaction, user_ref: int) -> list[AccountDomain]:
    """A user's domains that are not deleted, first registered first; also those that have expired."""
    return await store.list_of_user(tx, user_ref)


async def newest_account_domains(tx: Transaction, user_ref: int, most: int) -> list[AccountDomain]:
    """The last registered of `list_account_domains`, newest first."""
    return await store.list_newest_of_user(tx, user_ref, most)


async def reconcile_now(resources: Resources, brand_ref: int, user_ref: int) -> None:
    """Registers, renews and releases a user's domains at the registrars now, instead of in the worker."""
    async with resources.database.transaction(brand_ref) as tx:
        refs = [ref for _, ref in await store.list_registered(tx, user_ref)]
    await reconcile(Domains(brand_ref, refs), resources)


async def get_account_domain_details(tx: Transaction, caller: Caller, domain: AccountDomain) -> AccountDomainDetails:
    holder = await users.get_user(tx, caller, domain.user_ref, show_deleted=False)
    package = await packages.get_package(tx, domain.package_ref)
    zone = (await brands.settings_of_brand(tx)).time_zone
    fields = {name: getattr(holder, name) for name in DomainHolder.__struct_fields__}
    return presenters.details(domain, DomainHolder(**fields), package, zone)


async def page_of_account_domains(
    tx: Transaction, user_ref: int, window: Window, sizes: Callable[[Sequence[AccountDomain]], Awaitable[Sizes]]
) -> tuple[list[AccountDomain], Page]:
    """A page of `list_account_domains`. `sizes` returns the serialized size of each domain in bytes, by its ref."""
    domains = await store.read_page_of_user(tx, user_ref, window)
    page = cut_by_size(window, await sizes(domains))
    shown = set(page.refs)
    return [domain for domain in domains if domain.ref in shown], page


async def list_account_domain_details(
    tx: Transaction, caller: Caller, user_ref: int, window: Window
) -> tuple[list[ListedAccountDomain], Page]:
    """A page of a user's domains, each with its package; pages are limited by their serialized size."""

    async def sizes(domains: Sequence[AccountDomain]) -> Sizes:
        refs = {domain.package_ref for domain in domains}
        known = await packages.sizes_of_packages(tx, refs, caller.reseller_ref)
        return {domain.ref: known[domain.package_ref] for domain in domains}

    domains, page = await page_of_account_domains(tx, user_ref, window, sizes)
    refs = [domain.account_package_ref for domain in domains]
    held = await account_packages.get_account_packages(tx, caller, user_ref, refs)
    zone = (await brands.settings_of_brand(tx)).time_zone
    return [presenters.listed(domain, held[domain.account_package_ref], zone) for domain in domains], page


async def buy_domain(
    tx: Transaction, resources: Resources, caller: Caller, user: User, new: NewAccountDomain
) -> AccountDomain:
    """The request is already validated (see `checks`), and the user's row is locked. Package, charge, event and domain,
    which is due for the registrar, are one transaction.
    """
    if user.anonymized:
        raise Anonymized
    product, domain = await checks.find_product(tx, msgspec.structs.asdict(new)), normalize(new.domain_name)
    assert product is not None  # noqa: S101 - it was checked
    if _is_own_host(resources.settings, domain) or await orders.is_in_use(tx, domain, user.ref):
        raise DomainTaken(TAKEN)
    if new.is_free:
        await _check_free_domains(tx, user.ref)
    auto_renew = product.renews if new.auto_renew is UNSET else new.auto_renew
    add_on = await add_ons.assign_add_on(
        tx, resources.sealer, caller, user.ref, _package(product, domain, is_free=new.is_free, auto_renew=auto_renew)
    )
    args = (add_on.account_package_ref, add_on.started_at, add_on.due_at, clock.now())
    ref = await orders.insert(tx, user.ref, domain, product, *args)
    await search.update_account_domain(tx, user.ref, ref, host=domain)
    await audit.record_by(tx, caller, "buy", "account domain", ref, userRef=user.ref, packageRef=product.package_ref)
    return await find_account_domain(tx, caller, user.ref, ref)


async def set_auto_renew(
    tx: Transaction, resources: Resources, caller: Caller, domain: AccountDomain, changes: AccountDomainChanges
) -> AccountDomain:
    """Whether the domain's package renews. The domain is locked. Raises DoesNotRenew where it no longer can."""
    product = await orders.find_product(tx, ref=None, package_ref=domain.package_ref)
    if changes.auto_renew and not (product is not None and product.renews):
        raise DoesNotRenew
    user = await users.find_user(tx, caller, domain.user_ref)
    request = RenewalRequest(delete_on_expiry=not changes.auto_renew)
    await account_packages.set_renewal(tx, resources.sealer, caller, user, domain.account_package_ref, request)
    await audit.record_by(tx, caller, "edit", "account domain", domain.ref, autoRenew=changes.auto_renew)
    return await find_account_domain(tx, caller, domain.user_ref, domain.ref)


async def delete_domain(tx: Transaction, resources: Resources, caller: Caller, domain: AccountDomain) -> None:
    """Permanently: its package ends, its mailboxes are deleted, and its name is available. The domain is locked."""
    await add_ons.end_add_on(tx, resources.sealer, caller, domain.user_ref, domain.account_package_ref)
    await store.delete(tx, domain.ref, clock.now())
    await search.update_account_domain(tx, domain.user_ref, domain.ref, host=None)
    await audit.record_by(tx, caller, "delete", "account domain", domain.ref)


async def _check_free_domains(tx: Transaction, user_ref: int) -> None:
    limit = (await account_packages.capabilities_of(tx, user_ref))["freeDomains"]
    used = await orders.count_free(tx, user_ref)
    if used >= limit:
        raise PackageLimitReached("freeDomains", limit, used)


def _package(product: Product, domain: str, *, is_free: bool, auto_renew: bool) -> AddOn:
    return AddOn(
        package_ref=product.package_ref,
        months=product.months,
        free_of_charge=is_free,
        delete_on_expiry=not auto_renew,
        domain=domain,
    )


def _is_own_host(settings: Settings, domain: str) -> bool:
    hosts = {host_of(settings.api_url), host_of(settings.service_url)}
    return any(host == domain or host.endswith(f".{domain}") for host in hosts)


async def publish_ds(resources: Resources, brand_ref: int, account_domain_ref: int, ds: Sequence[str]) -> None:
    """Passes the DS records of a signed zone to the domain's registrar. Calls the network: outside any transaction."""
    async with resources.database.transaction(brand_ref) as tx:
        domain = await store.find(tx, account_domain_ref)
        details = None if domain is None else await store.read_registration_details(tx, account_domain_ref)
    if domain is not None and details is not None:
        await details.registrar.publish_ds(resources, registration_of(domain), ds)


async def brands_with_domains(resources: Resources) -> list[int]:
    async with resources.database.connection() as connection:
        return await store.brands_with_domains(connection)


async def names_of(tx: Transaction, refs: Sequence[int]) -> dict[int, str]:
    """The names of account domains, also of deleted ones."""
    return await store.names_of(tx, refs)
