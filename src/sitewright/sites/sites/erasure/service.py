"""The rules of hard delete. A site that waits for its erasure is a deleted site with a row in `site_erasures`.

Lock order: the owner's row, the site's, then that of the erasure.
"""

from contextlib import suppress
from datetime import timedelta

import msgspec

from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller, Role
from sitewright.kit.db import Transaction
from sitewright.kit.sealing import Sealer
from sitewright.kit.signing import service as signing
from sitewright.kit.timestamps import iso_utc
from sitewright.settings import Settings
from sitewright.sites.sites import service as sites
from sitewright.sites.sites.erasure import store
from sitewright.sites.sites.erasure.errors import ErasureNotFound
from sitewright.sites.sites.erasure.schemas import ErasureCounts, Receipt, Signature, SignedReceipt
from sitewright.sites.sites.errors import AccountHolderDeleted, NeverPublished, PackageLimitReached, SiteNotFound
from sitewright.sites.sites.hooks import SiteCounts, site_counted
from sitewright.sites.sites.requests import SiteChanges
from sitewright.sites.sites.schemas import SiteDetails
from sitewright.sites.sites.store import Site
from sitewright.tenants.brands.clock import service as brand_clock
from sitewright.tenants.brands.schemas import BrandSettings

WORKER = Caller(role=Role.SYSTEM_OWNER, name="worker")


async def hard_delete(tx: Transaction, caller: Caller, brand: BrandSettings, site: Site) -> None:
    """Erase a locked site; with the brand's delay, take it offline now and erase it then."""
    if brand.hard_delete_delay_days == 0:
        await _erase(tx, caller, site)
        return
    now, delay = brand.now, timedelta(days=brand.hard_delete_delay_days)
    if not await store.insert(tx, site.ref, now, now + delay, clock.now() + delay):
        return
    if not site.deleted:
        await sites.delete_site(tx, caller, site)
    await audit.record_by(tx, caller, "schedule erasure", "site", site.ref, eraseAfter=iso_utc(now + delay))


async def erase_waiting(tx: Transaction, site_ref: int) -> None:
    """Erase a site whose time has come, unless it was restored meanwhile, perhaps by the previous release."""
    try:
        site = await sites.find_site(tx, WORKER, site_ref, deleted=True, lock=True)
    except SiteNotFound:
        await store.delete_waiting(tx, site_ref)
        return
    waiting = await store.find(tx, site_ref, None)
    if waiting is None or waiting.erased_at is not None:
        return
    if site.deleted:
        await _erase(tx, WORKER, site)
    else:
        await store.delete_waiting(tx, site_ref)


async def restore(
    tx: Transaction, settings: Settings, caller: Caller, brand: BrandSettings, site: Site, *, live_again: bool = False
) -> SiteDetails:
    """Restore a locked site that is deleted, or waits for its erasure. Idempotent.

    `live_again`: a site that was live when it was hard-deleted is live again, where its package still allows it.
    """
    was_live = await store.delete_waiting(tx, site.ref)
    if was_live is not None:
        await audit.record_by(tx, caller, "cancel erasure", "site", site.ref)
    restored = await sites.restore_site(tx, settings, caller, brand, site)
    if not (live_again and was_live):
        return restored
    with suppress(NeverPublished, AccountHolderDeleted, PackageLimitReached):
        await sites.edit_site(tx, caller, site, SiteChanges(live=True))
    return await sites.present_site(tx, site.ref)


async def receipt(tx: Transaction, sealer: Sealer, caller: Caller, site_ref: int) -> SignedReceipt:
    """The signed receipt of a site that waits for its erasure, or was erased."""
    erasure = await store.find(tx, site_ref, caller.reseller_ref)
    if erasure is None:
        raise ErasureNotFound
    counts = erasure.counts if erasure.erased_at is not None else await _count(tx, site_ref)
    described = Receipt(
        brand_ref=erasure.brand_ref,
        site_ref=erasure.site_ref,
        status="waiting" if erasure.erased_at is None else "erased",
        requested_at=iso_utc(erasure.requested_at),
        erase_after=iso_utc(erasure.erase_after),
        erased_at=None if erasure.erased_at is None else iso_utc(erasure.erased_at),
        counts=msgspec.convert(counts, ErasureCounts),
    )
    signed = await signing.sign(tx, sealer, "erasures", msgspec.json.encode(described).decode())
    return SignedReceipt(described, Signature(key_id=signed.key_id, signed=signed.text, value=signed.signature))


async def erase_user(tx: Transaction, user_ref: int) -> None:
    """Sites of an anonymized user are erased without further delay (lifecycle hook)."""
    await store.make_due(tx, user_ref, clock.now())


async def _erase(tx: Transaction, caller: Caller, site: Site) -> None:
    await store.save_erased(tx, site.ref, await brand_clock.now(tx), await _count(tx, site.ref))
    await sites.hard_delete_site(tx, caller, site)


async def _count(tx: Transaction, site_ref: int) -> dict[str, int]:
    counts = SiteCounts(site_ref)
    await site_counted.notify(tx, counts)
    return counts.found
