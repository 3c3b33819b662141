"""Choose the site that a log-in leads to."""

from sitewright.kit.db import Transaction
from sitewright.kit.problems import Invalid
from sitewright.sites.sites import service as sites
from sitewright.sites.sites.service import Site


async def site_to_log_in_to(tx: Transaction, user_ref: int, site_ref: int | None) -> int | None:
    """Return the requested site of the user, else the user's first one; None where there is none."""
    own = await sites.list_user_sites(tx, user_ref)
    if site_ref is None:
        return own[0].ref if own else None
    if all(site.ref != site_ref for site in own):
        raise Invalid.fields({"siteRef": {"invalidSiteRef": "is not a site of this user"}})
    return site_ref


async def site_of_log_in(tx: Transaction, user_ref: int, site_ref: int | None) -> Site | None:
    """Return the site that a hash was issued for, unless it was deleted."""
    if site_ref is None:
        return None
    return next((site for site in await sites.list_user_sites(tx, user_ref) if site.ref == site_ref), None)
