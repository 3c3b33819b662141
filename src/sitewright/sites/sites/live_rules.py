"""Package limits for live sites, checked when a site is set live and when it is published."""

from sitewright.accounts.account_packages import service as account_packages
from sitewright.kit.db import Transaction
from sitewright.sites.sites import store
from sitewright.sites.sites.errors import AccountHolderDeleted, PackageLimitReached
from sitewright.sites.sites.store import Site


async def check_may_be_live(tx: Transaction, site: Site) -> None:
    """Raise where the site may not be live. The owner's row stays locked, so concurrent checks run one after another.

    Lock order: a caller that has locked the site must have done so with `find_site`, which locks the owner first.
    """
    if not await store.lock_owner(tx, site.user_ref):
        raise AccountHolderDeleted
    for reached in await limits_reached(tx, site):
        raise reached


async def limits_reached(tx: Transaction, site: Site) -> list[PackageLimitReached]:
    """Every limit of the package that keeps the site from being live."""
    capabilities = await account_packages.capabilities_of(tx, site.user_ref)
    usage = await store.read_usage(tx, site.ref, site.user_ref)
    found = []
    if usage.live_sites >= capabilities["liveSites"]:
        found.append(PackageLimitReached("liveSites", capabilities["liveSites"], usage.live_sites))
    if capabilities["restrictPagesOnPublish"] and usage.pages > capabilities["pagesLimited"]:
        found.append(PackageLimitReached("pagesLimited", capabilities["pagesLimited"], usage.pages))
    return found
