"""Whose site it is, before anything on it is looked at or changed."""

from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.sites.content import store
from sitewright.sites.sites import service as sites
from sitewright.sites.sites.errors import SiteNotFound


async def check_site(tx: Transaction, caller: Caller, site_ref: int) -> None:
    """Raises SiteNotFound for a site that is not the caller's, or deleted."""
    await sites.find_site(tx, caller, site_ref)


async def change_site(tx: Transaction, caller: Caller, site_ref: int) -> None:
    """The same; from here to its end, the transaction alone changes what is on the site."""
    await sites.find_site(tx, caller, site_ref)
    if not await store.lock_content(tx, site_ref):
        raise SiteNotFound
