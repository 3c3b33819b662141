"""What an account holder's package allows to be live. Setting a site live and publishing it ask the same."""

from sitewright.accounts.account_packages import service as account_packages
from sitewright.kit.db import Transaction
from sitewright.sites.sites import store
from sitewright.sites.sites.errors import AccountHolderDeleted, PackageLimitReached
from sitewright.sites.sites.store import Site


async def check_may_be_live(tx: Transaction, site: Site) -> None:
    """Raises where the site may not be live. Its owner's row stays locked, so that of several that ask at once each
    sees what the one before it did; whoever has locked the site itself must have done so with `find_site`.
    """
    if not await store.lock_owner(tx, site.user_ref):
        raise AccountHolderDeleted
    for reached in await limits_reached(tx, site):
        raise reached


async def limits_reached(tx: Transaction, site: Site) -> list[PackageLimitReached]:
    """Every limit of the package that keeps the site from being live."""
    capabilities = await account_packages.capabilities_of(tx, site.user_ref)
    use = await store.read_use(tx, site.ref, site.user_ref)
    found = []
    if use.live_sites >= capabilities["liveSites"]:
        found.append(PackageLimitReached("liveSites", capabilities["liveSites"], use.live_sites))
    if capabilities["restrictPagesOnPublish"] and use.pages > capabilities["pagesLimited"]:
        found.append(PackageLimitReached("pagesLimited", capabilities["pagesLimited"], use.pages))
    return found
