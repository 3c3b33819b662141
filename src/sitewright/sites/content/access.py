"""Access checks and the content lock, before a site's content is read or changed."""

from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.sites.content import store
from sitewright.sites.sites import service as sites
from sitewright.sites.sites.errors import SiteNotFound
from sitewright.sites.sites.service import Site


async def check_site(tx: Transaction, caller: Caller, site_ref: int) -> None:
    """Raise SiteNotFound for a site that is not the caller's, or deleted."""
    await sites.find_site(tx, caller, site_ref)


async def change_site(tx: Transaction, caller: Caller, site_ref: int) -> None:
    """Check access, and lock the site's content until the end of the transaction."""
    await lock_site_content(tx, caller, site_ref)


async def lock_site_content(tx: Transaction, caller: Caller, site_ref: int, *, with_row: bool = False) -> Site:
    """The same, and return the site. `with_row`: also lock the site's own row, which comes first in the lock order."""
    site = await sites.find_site(tx, caller, site_ref, lock=with_row)
    if not await store.lock_content(tx, site_ref):
        raise SiteNotFound
    return site
