"""The rules of sites, and everything that changes them. The owner's row is locked before a site's own."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

import msgspec
from msgspec import UNSET

from sitewright.accounts.account_packages.hooks import LiveSiteLimit
from sitewright.accounts.profiles import service as profiles
from sitewright.accounts.users import service as users
from sitewright.accounts.users.service import User
from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.hosts import normalise
from sitewright.kit.paging import Page, Window, cut
from sitewright.settings import Settings
from sitewright.sites.sites import store, telling
from sitewright.sites.sites.checks import below
from sitewright.sites.sites.domains import demo_names
from sitewright.sites.sites.domains import service as domains
from sitewright.sites.sites.domains import store as domain_store
from sitewright.sites.sites.domains.service import list_domains
from sitewright.sites.sites.errors import DomainReserved, DomainTaken, NeverPublished, SiteNotFound
from sitewright.sites.sites.hooks import site_erased
from sitewright.sites.sites.live_rules import check_may_be_live, limits_reached
from sitewright.sites.sites.online import OfflineReason, SiteState, offline_reason
from sitewright.sites.sites.requests import NewSite, SiteChanges
from sitewright.sites.sites.schemas import CreatedSiteDetails, EditedSiteDetails, SiteDetails, UserSiteDetails
from sitewright.sites.sites.store import Site
from sitewright.tenants.brands.schemas import BrandSettings

COLUMNS = {
    "primary_url_ref": "primary_domain_ref",
    "live": "live",
    "template_ref": "template_ref",
    "activation_status": "activation_status",
    "protocol": "protocol",
    "redirect_to_primary": "redirect_to_primary",
    "always_redirect_to_primary_domain": "redirect_to_primary",
    "enabled": "enabled",
}
"""What an edit may change, by attribute of the request. Where two are of one column, the later one wins."""

__all__ = [
    "NewSite",
    "OfflineReason",
    "Site",
    "SiteChanges",
    "SiteState",
    "brand_of_site",
    "check_may_be_live",
    "create_site",
    "delete_site",
    "edit_site",
    "find_site",
    "hard_delete_site",
    "limits_reached",
    "list_domains",
    "list_user_sites",
    "lock_row",
    "offline_reason",
    "restore_site",
    "show_version",
    "take_offline",
    "tell_site",
    "tell_user_sites",
    "unpublish_sites",
]


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


async def tell_site(tx: Transaction, site_ref: int) -> SiteDetails:
    """A site that was found before, as GET /sites/:siteRef tells it."""
    return telling.details(await store.read_told(tx, site_ref))


async def tell_user_sites(
    tx: Transaction, user_ref: int, window: Window, *, deleted: bool
) -> tuple[list[UserSiteDetails], Page]:
    refs, too_large = await store.read_page_of_user(tx, user_ref, window, deleted=deleted)
    page = cut(window, refs, too_large=too_large)
    return [telling.of_user(row) for row in await store.read_told_sites(tx, page.refs)], page


async def create_site(
    tx: Transaction, settings: Settings, caller: Caller, brand: BrandSettings, new: NewSite
) -> CreatedSiteDetails:
    """However many sites the account holder may have live. What was sent is checked already (see `checks`)."""
    holder = await users.find_user(tx, caller, new.account_holder_ref)
    profile_ref = await profiles.create_profile(tx, holder.ref)

    async def create_on(name: str) -> int:
        await domains.check_free(tx, settings, caller, brand, name)
        return await _insert(tx, holder, profile_ref, new, name)

    if new.domain or new.subdomain:
        site_ref = await create_on(normalise(new.domain or below(brand.domain or "", new.subdomain or "")))
    else:
        site_ref = await _first_free(demo_names.candidates(brand, holder.ref, holder.username), create_on)
    await audit.record_by(tx, caller, "create", "site", site_ref, accountHolderRef=holder.ref)
    return telling.created(await store.read_told(tx, site_ref))


async def _first_free(names: Iterable[str], create_on: Callable[[str], Awaitable[int]]) -> int:
    """The first name that is free. Transactions that create a site of the same name meanwhile are waited for."""
    for name in names:
        with suppress(DomainTaken, DomainReserved):
            return await create_on(name)
    raise DomainTaken


async def _insert(tx: Transaction, holder: User, profile_ref: int, new: NewSite, name: str) -> int:
    site_ref = await store.insert_site(
        tx,
        holder.ref,
        holder.reseller_ref,
        profile_ref,
        name,
        new.template_ref,
        new.activation_status,
        new.site_type or "responsive",
        clock.now(),
    )
    if site_ref is None:
        raise DomainTaken
    return site_ref


async def edit_site(tx: Transaction, caller: Caller, site: Site, changes: SiteChanges) -> EditedSiteDetails:
    """What was sent is checked already. The site is locked."""
    columns: dict[str, Any] = {
        column: value for name, column in COLUMNS.items() if (value := getattr(changes, name)) is not UNSET
    }
    if changes.live is True and not site.live:
        if not site.state.is_published:
            raise NeverPublished
        await check_may_be_live(tx, site)
    if columns:
        await store.update_site(tx, site.ref, columns | {"updated_at": clock.now()})
    await audit.record_by(tx, caller, "edit", "site", site.ref, fields=sorted(msgspec.to_builtins(changes)))
    return telling.edited(await store.read_told(tx, site.ref))


async def delete_site(tx: Transaction, caller: Caller, site: Site) -> None:
    """Softly: its domains are free at once, and everything else is kept."""
    now = clock.now()
    await domains.unmap_all(tx, site.ref)
    await store.update_site(tx, site.ref, {"live": False, "deleted_at": now, "updated_at": now})
    await audit.record_by(tx, caller, "delete", "site", site.ref)


async def restore_site(
    tx: Transaction, settings: Settings, caller: Caller, brand: BrandSettings, site: Site
) -> SiteDetails:
    """Offline, with those of its domains that are still free. A site that is not deleted stays as it is."""
    if site.deleted:
        now = clock.now()
        await domains.map_again(tx, settings, caller, brand, site.ref)
        await store.update_site(tx, site.ref, {"live": False, "deleted_at": None})
        await domain_store.choose_primary(tx, site.ref, now)
        await audit.record_by(tx, caller, "restore", "site", site.ref)
    return await tell_site(tx, site.ref)


async def hard_delete_site(tx: Transaction, caller: Caller, site: Site) -> None:
    """For good, with its profile, its content, its snapshots and what visitors wrote; the observers of `site_erased`
    remove its names from what other features store."""
    await domains.delete_all(tx, site.ref)
    await store.delete_site(tx, site.ref)
    await profiles.delete_profile(tx, site.profile_ref)
    await site_erased.notify(tx, site.ref)
    await audit.record_by(tx, caller, "hard-delete", "site", site.ref)


async def show_version(
    tx: Transaction, site_ref: int, version_ref: int, at: datetime, *, is_publish: bool, last_version_ref: int
) -> None:
    """Visitors of a live site see this version from the commit on. A publish also makes the site live."""
    await store.show_version(tx, site_ref, version_ref, at, is_publish=is_publish, last_version_ref=last_version_ref)


async def unpublish_sites(tx: Transaction, user_ref: int) -> None:
    """No site of the user shows a version any more."""
    await store.unpublish_sites(tx, user_ref)


async def lock_row(tx: Transaction, site_ref: int) -> None:
    """For work that changes nothing of its owner."""
    await store.lock_row(tx, site_ref)


async def brand_of_site(connection: Transaction, site_ref: int) -> int:
    """Across brands, for operators."""
    brand_ref = await store.brand_of_site(connection, site_ref)
    if brand_ref is None:
        raise SiteNotFound
    return brand_ref


async def take_offline(tx: Transaction, changes: Sequence[LiveSiteLimit]) -> None:
    """Observes packages and deletions of account holders. Set-wise, for one user or thousands."""
    left: dict[int, int] = {}
    for each in changes:
        left[each.user_ref] = min(each.live_sites, left.get(each.user_ref, each.live_sites))
    refs = []
    for ref, user_ref in await store.find_live_sites(tx, list(left)):
        left[user_ref] -= 1
        if left[user_ref] < 0:
            refs.append(ref)
    if refs:
        await store.take_offline(tx, refs, clock.now())
        await audit.record_each(tx, "account packages", "take offline", "site", refs)
