from sitewright.kit.http import Call, endpoint
from sitewright.kit.versions import Since
from sitewright.sites.sites import service as sites
from sitewright.sites.sites.erasure import service
from sitewright.sites.sites.erasure.errors import ErasureNotFound
from sitewright.sites.sites.erasure.schemas import SignedReceipt
from sitewright.sites.sites.errors import SiteNotFound
from sitewright.sites.sites.schemas import OneSite
from sitewright.tenants.brands import service as brands

SITE = "/sites/{site_ref:int}"


@endpoint("POST", SITE + "/restore", errors=(SiteNotFound,))
async def restore_site(call: Call, site_ref: int) -> OneSite:
    """Restore a deleted site, offline, with those of its domains that are still free and not reserved.

    A site that waits for its erasure after `hard-delete` is not erased any more.
    """
    site = await sites.find_site(call.tx, call.caller, site_ref, deleted=True, lock=True)
    brand = await brands.settings_of_brand(call.tx)
    return OneSite(await service.restore(call.tx, call.resources.settings, call.caller, brand, site))


@endpoint("POST", SITE + "/hard-delete", status=204, since=(Since(release=44),), errors=(SiteNotFound,))
async def hard_delete_site(call: Call, site_ref: int) -> None:
    """Erase a site, deleted or not, with everything that belongs to it. This cannot be undone.

    If the brand's `hardDeleteDelayDays` is above 0, the site is taken offline at once and erased after that time;
    until then `undelete` restores it.
    """
    site = await sites.find_site(call.tx, call.caller, site_ref, deleted=True, lock=True)
    await service.hard_delete(call.tx, call.caller, await brands.settings_of_brand(call.tx), site)


@endpoint("POST", SITE + "/undelete", errors=(SiteNotFound,))
async def undelete_site(call: Call, site_ref: int) -> OneSite:
    """Undo `hard-delete` as long as the site waits for its erasure.

    The site comes back with those of its domains that are still free and not reserved. It is live again if it was
    live before and the account holder's package still allows it. For a site that was only deleted, the call does the
    same as `restore`.
    """
    site = await sites.find_site(call.tx, call.caller, site_ref, deleted=True, lock=True)
    brand = await brands.settings_of_brand(call.tx)
    settings = call.resources.settings
    return OneSite(await service.restore(call.tx, settings, call.caller, brand, site, live_again=True))


@endpoint("GET", SITE + "/erasure", errors=(ErasureNotFound,))
async def get_erasure(call: Call, site_ref: int) -> SignedReceipt:
    """The signed receipt of a site that was hard-deleted: while it waits, and for as long as the brand exists after.

    Anybody can verify the signature with the public key at `keyUrl`. The receipt contains no names and no personal
    data.
    """
    return await service.receipt(call.tx, call.resources.sealer, call.caller, site_ref)


endpoints = [restore_site, hard_delete_site, undelete_site, get_erasure]
