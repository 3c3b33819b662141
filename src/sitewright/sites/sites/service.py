"""The rules of sites. Lock order: the owner's row before the site's."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

import msgspec
from msgspec import UNSET

from sitewright.accounts.account_packages.hooks import LiveSiteLimit
from sitewright.accounts.profiles import service as profiles
from sitewright.accounts.search import service as search
from sitewright.accounts.users import service as users
from sitewright.accounts.users.errors import UserNotFound
from sitewright.accounts.users.service import User
from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.hosts import normalize
from sitewright.kit.paging import Page, Window, cut
from sitewright.kit.problems import Invalid
from sitewright.kit.row_changes import fields_of
from sitewright.settings import Settings
from sitewright.sites.sites import presenters, site_events, store
from sitewright.sites.sites.checks import UNKNOWN_HOLDER, below, check_changes, check_new_site
from sitewright.sites.sites.domains import demo_names
from sitewright.sites.sites.domains import service as domains
from sitewright.sites.sites.domains import store as domain_store
from sitewright.sites.sites.domains.service import list_domains
from sitewright.sites.sites.errors import DomainReserved, DomainTaken, NeverPublished, SiteNotFound
from sitewright.sites.sites.hooks import MappedDomain, domains_mapped, site_erased
from sitewright.sites.sites.live_rules import check_may_be_live, limits_reached
from sitewright.sites.sites.online import OfflineReason, SiteState, offline_reason
from sitewright.sites.sites.requests import Domain, NewSite, SiteChanges, TemplateRef
from sitewright.sites.sites.schemas import CreatedSiteDetails, EditedSiteDetails, SiteDetails, UserSiteDetails
from sitewright.sites.sites.store import Site
from sitewright.sites.sites.template_rules import list_choosable_templates, may_choose_template
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
"""The columns that an edit can change, by request attribute. Of two attributes for one column the later one wins."""

__all__ = [
    "Domain",
    "NewSite",
    "OfflineReason",
    "Site",
    "SiteChanges",
    "SiteState",
    "TemplateRef",
    "brand_of_site",
    "check_changes",
    "check_may_be_live",
    "check_new_site",
    "choose_template",
    "create_site",
    "delete_site",
    "edit_site",
    "find_site",
    "hard_delete_site",
    "limits_reached",
    "list_choosable_templates",
    "list_domains",
    "list_user_sites",
    "lock_row",
    "may_choose_template",
    "newest_user_sites",
    "offline_reason",
    "page_of_user_sites",
    "present_site",
    "present_user_sites",
    "restore_site",
    "set_current_version",
    "take_offline",
    "unpublish_sites",
]


async def find_site(
    tx: Transaction, caller: Caller, site_ref: int, *, deleted: bool = False, lock: bool = False
) -> Site:
    """Find a site of the caller's brand and, for a reseller, of its own users.

    `deleted`: also a deleted one. `lock`: lock the owner's row and the site until the end of the transaction.
    """
    if lock:
        await store.lock_site(tx, site_ref)
    site = await store.find_site(tx, site_ref, caller.reseller_ref, deleted=deleted)
    if site is None:
        raise SiteNotFound
    return site


async def list_user_sites(tx: Transaction, user_ref: int, *, deleted: bool = False) -> list[Site]:
    """List the user's sites, oldest first. `deleted`: also the deleted ones."""
    return await store.list_of_user(tx, user_ref, deleted=deleted)


async def newest_user_sites(tx: Transaction, user_ref: int, most: int) -> list[Site]:
    """The user's last created sites, newest first; the deleted ones too."""
    return await store.list_newest_of_user(tx, user_ref, most)


async def page_of_user_sites(
    tx: Transaction, user_ref: int, window: Window, *, deleted: bool = False
) -> tuple[list[Site], Page]:
    """A page of the user's sites, oldest first: those that are not deleted, or the deleted ones."""
    found = await store.read_sites_of_user(tx, user_ref, window, deleted=deleted)
    return list(window.shown(found)), cut(window, [site.ref for site in found])


async def present_site(tx: Transaction, site_ref: int) -> SiteDetails:
    """Return the response of GET /sites/:siteRef for a site that exists."""
    return presenters.details(await store.read_details(tx, site_ref))


async def present_user_sites(
    tx: Transaction, user_ref: int, window: Window, *, deleted: bool
) -> tuple[list[UserSiteDetails], Page]:
    refs, too_large = await store.read_page_of_user(tx, user_ref, window, deleted=deleted)
    page = cut(window, refs, too_large=too_large)
    rows = await store.read_details_of(tx, page.refs)
    return [presenters.of_user(row) for row in rows], page.of_rows([row["ref"] for row in rows])


async def create_site(
    tx: Transaction, settings: Settings, caller: Caller, brand: BrandSettings, new: NewSite
) -> CreatedSiteDetails:
    """Create a site from a validated request (see `checks`); the limit of live sites does not apply.

    The owner's row is locked, so that the site of a user who is being deleted is deleted too, or not created.
    """
    try:
        holder = await users.find_user(tx, caller, new.account_holder_ref, lock=True)
    except UserNotFound:  # deleted since the request was validated
        raise Invalid.fields(UNKNOWN_HOLDER) from None
    profile_ref = await profiles.create_profile(tx, holder.ref)

    async def create_on(name: str) -> int:
        await domains.check_free(tx, settings, caller, brand, name)
        return await _insert(tx, holder, profile_ref, new, name)

    if new.domain or new.subdomain:
        site_ref = await create_on(normalize(new.domain or below(brand.domain or "", new.subdomain or "")))
    else:
        site_ref = await _first_free(demo_names.candidates(brand, holder.ref, holder.username), create_on)
    await audit.record_by(tx, caller, "create", "site", site_ref, accountHolderRef=holder.ref)
    first = {domain.ref: domain.domain for domain in await list_domains(tx, site_ref)}
    await site_events.emit_created(tx, site_ref, holder.ref, first, clock.now())
    return presenters.created(await store.read_details(tx, site_ref))


async def _first_free(names: Iterable[str], create_on: Callable[[str], Awaitable[int]]) -> int:
    """Create the site on the first free name; a concurrent creation of the same name is waited for."""
    for name in names:
        with suppress(DomainTaken, DomainReserved):
            return await create_on(name)
    raise DomainTaken


async def _insert(tx: Transaction, holder: User, profile_ref: int, new: NewSite, name: str) -> int:
    inserted = await store.insert_site(
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
    if inserted is None:
        raise DomainTaken
    site_ref, domain_ref = inserted
    await domains_mapped.notify(tx, [MappedDomain(domain_ref, site_ref, name)])
    await search.update_site(tx, holder.ref, site_ref, [name])
    return site_ref


async def edit_site(tx: Transaction, caller: Caller, site: Site, changes: SiteChanges) -> EditedSiteDetails:
    """Apply validated changes to a locked site."""
    columns: dict[str, Any] = {
        column: value for name, column in COLUMNS.items() if (value := getattr(changes, name)) is not UNSET
    }
    if changes.live is True and not site.live:
        if not site.state.is_published:
            raise NeverPublished
        await check_may_be_live(tx, site)
    now = clock.now()
    if columns:
        await store.update_site(tx, site.ref, columns | {"updated_at": now})
    await audit.record_by(tx, caller, "edit", "site", site.ref, fields=sorted(msgspec.to_builtins(changes)))
    await _emit_edited(tx, site, changes, columns, now)
    return presenters.edited(await store.read_details(tx, site.ref))


async def _emit_edited(
    tx: Transaction, site: Site, changes: SiteChanges, columns: dict[str, Any], now: datetime
) -> None:
    """Events for what an edit changed, which may be nothing."""
    changed = {column for column, value in columns.items() if value != getattr(site, column)}
    sent = [name for name, column in COLUMNS.items() if column in changed and getattr(changes, name) is not UNSET]
    await site_events.emit_updated(tx, site.ref, site.user_ref, fields_of(SiteChanges, sent), now)
    state = SiteState(site.state.is_published, columns.get("live", site.live), columns.get("enabled", site.enabled))
    reason = offline_reason(state)
    if reason is not None and offline_reason(site.state) is None:
        await site_events.emit_offline(tx, [(site.ref, site.user_ref)], reason, now)


async def choose_template(tx: Transaction, caller: Caller, site: Site, template_ref: int | None) -> None:
    """Set the template of a locked site; it was validated (`check_changes`), or is the former one."""
    now = clock.now()
    await store.update_site(tx, site.ref, {"template_ref": template_ref, "updated_at": now})
    await audit.record_by(tx, caller, "edit", "site", site.ref, fields=["templateRef"])
    if template_ref != site.template_ref:
        await site_events.emit_updated(tx, site.ref, site.user_ref, ["templateRef"], now)


async def delete_site(tx: Transaction, caller: Caller, site: Site) -> None:
    """Soft-delete a site: its domains are unmapped, everything else is kept."""
    now = clock.now()
    await domains.unmap_all(tx, site)
    await store.update_site(tx, site.ref, {"live": False, "deleted_at": now, "updated_at": now})
    await audit.record_by(tx, caller, "delete", "site", site.ref)
    await site_events.emit_deleted(tx, site.ref, site.user_ref, now, is_erased=False)


async def restore_site(
    tx: Transaction, settings: Settings, caller: Caller, brand: BrandSettings, site: Site
) -> SiteDetails:
    """Restore a deleted site, offline, with those of its domains that are still free. Idempotent."""
    if site.deleted:
        now = clock.now()
        await domains.map_again(tx, settings, caller, brand, site)
        await store.update_site(tx, site.ref, {"live": False, "deleted_at": None})
        await domain_store.choose_primary(tx, site.ref, now)
        await audit.record_by(tx, caller, "restore", "site", site.ref)
        await site_events.emit_updated(tx, site.ref, site.user_ref, ["deleted"], now)
    return await present_site(tx, site.ref)


async def hard_delete_site(tx: Transaction, caller: Caller, site: Site) -> None:
    """Erase a site with its profile, content, snapshots and contact messages; observers of `site_erased` remove its
    names from the data of other features."""
    await domains.delete_all(tx, site)
    await store.delete_site(tx, site.ref)
    await profiles.delete_profile(tx, site.profile_ref)
    await site_erased.notify(tx, site.ref)
    await audit.record_by(tx, caller, "hard-delete", "site", site.ref)
    await site_events.emit_deleted(tx, site.ref, site.user_ref, clock.now(), is_erased=True)


async def set_current_version(
    tx: Transaction, site_ref: int, version_ref: int, at: datetime, *, is_publish: bool, last_version_ref: int
) -> None:
    """Set the version that visitors see after the commit. A publish also makes the site live."""
    await store.set_current_version(
        tx, site_ref, version_ref, at, is_publish=is_publish, last_version_ref=last_version_ref
    )


async def unpublish_sites(tx: Transaction, user_ref: int) -> None:
    """Unpublish all sites of the user."""
    sites = [(ref, user_ref) for ref in await store.unpublish_sites(tx, user_ref)]
    await site_events.emit_offline(tx, sites, OfflineReason.NEVER_PUBLISHED, clock.now())


async def lock_row(tx: Transaction, site_ref: int) -> None:
    """Lock the site's row only, for work that does not affect its owner."""
    await store.lock_row(tx, site_ref)


async def brand_of_site(connection: Transaction, site_ref: int) -> int:
    """Find the brand of a site across brands, for operators."""
    brand_ref = await store.brand_of_site(connection, site_ref)
    if brand_ref is None:
        raise SiteNotFound
    return brand_ref


async def take_offline(tx: Transaction, changes: Sequence[LiveSiteLimit]) -> None:
    """Take sites offline that exceed the live sites of their owners' packages (lifecycle hook), in bulk."""
    left: dict[int, int] = {}
    for each in changes:
        left[each.user_ref] = min(each.live_sites, left.get(each.user_ref, each.live_sites))
    refs, shown = [], []
    for ref, user_ref, is_shown in await store.find_live_sites(tx, list(left)):
        left[user_ref] -= 1
        if left[user_ref] < 0:
            refs.append(ref)
            shown += [(ref, user_ref)] if is_shown else []
    if refs:
        now = clock.now()
        await store.take_offline(tx, refs, now)
        await audit.record_each(tx, "account packages", "take offline", "site", refs)
        await site_events.emit_offline(tx, shown, OfflineReason.NOT_LIVE, now)


async def names_of(tx: Transaction, refs: Sequence[int]) -> dict[int, str]:
    """The primary host names of sites."""
    return await store.names_of(tx, refs)
