"""The rules of sites, and everything that changes them. The owner's row is locked before a site's own."""

from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.sites import store
from sitewright.sites.errors import SiteNotFound
from sitewright.sites.live_rules import check_may_be_live
from sitewright.sites.store import Site

__all__ = ["Site", "check_may_be_live", "find_site", "list_user_sites"]


async def find_site(
    tx: Transaction, caller: Caller, site_ref: int, *, deleted: bool = False, lock: bool = False
) -> Site:
    """A site that the caller may touch: of its brand and, for a reseller, of its own users. `deleted`: also a deleted
    one. `lock`: nobody else changes the site, or what its owner may have live, meanwhile.
    """
    if lock:
        await store.lock_site(tx, site_ref)
    site = await store.find_site(tx, site_ref, caller.reseller_ref, deleted=deleted)
    if site is None:
        raise SiteNotFound
    return site


async def list_user_sites(tx: Transaction, user_ref: int) -> list[Site]:
    """The user's sites that are not deleted, first created first."""
    return await store.list_of_user(tx, user_ref)
