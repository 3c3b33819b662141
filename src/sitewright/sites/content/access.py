"""Access checks and the content lock, before a site's content is read or changed."""

from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.sites.content import store
from sitewright.sites.sites import service as sites
from sitewright.sites.sites.errors import SiteNotFound


async def check_site(tx: Transaction, caller: Caller, site_ref: int) -> None:
    """Raise SiteNotFound for a site that is not the caller's, or deleted."""
    await sites.find_site(tx, caller, site_ref)


async def change_site(tx: Transaction, caller: Caller, site_ref: int) -> None:
    """Check access, and lock the site's content until the end of the transaction."""
    await sites.find_site(tx, caller, site_ref)
    if not await store.lock_content(tx, site_ref):
        raise SiteNotFound
