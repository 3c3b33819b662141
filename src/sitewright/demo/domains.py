"""The demo account holder's domain, registered synchronously so that it is active at once."""

from sitewright.accounts.users import service as users
from sitewright.domains.account_domains import service as account_domains
from sitewright.domains.account_domains.service import NewAccountDomain
from sitewright.kit.auth.caller import Caller
from sitewright.kit.resources import Resources
from sitewright.sites.sites.errors import DomainTaken


async def ensure_domain(
    resources: Resources, actor: Caller, brand_ref: int, user_ref: int, package_ref: int | None
) -> int | None:
    """Ensure an active domain: a deleted or expired one is replaced, under another name where the first is taken."""
    ref = await _active_domain(resources, brand_ref, user_ref)
    if ref is None and package_ref is not None and await _buy(resources, actor, brand_ref, user_ref, package_ref):
        ref = await _active_domain(resources, brand_ref, user_ref)
    return ref


async def _active_domain(resources: Resources, brand_ref: int, user_ref: int) -> int | None:
    """Execute pending registrar operations, then return the ref of the domain that has not ended."""
    await account_domains.reconcile_now(resources, brand_ref, user_ref)
    async with resources.database.transaction(brand_ref) as tx:
        own = await account_domains.list_account_domains(tx, user_ref)
    return next((domain.ref for domain in own if domain.ended_at is None), None)


async def _buy(resources: Resources, actor: Caller, brand_ref: int, user_ref: int, package_ref: int) -> bool:
    for name in (f"demo-brand-{brand_ref}.com", f"demo-brand-{brand_ref}-{user_ref}.com"):
        new = NewAccountDomain(domain_name=name, package_ref=package_ref)
        try:
            async with resources.database.transaction(brand_ref) as tx:
                user = await users.find_user(tx, actor, user_ref, lock=True)
                await account_domains.buy_domain(tx, resources, actor, user, new)
        except DomainTaken:
            continue
        return True
    return False
