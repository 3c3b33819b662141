"""The sites of a described account. Names are freed and sites are taken offline before others need them."""

from collections.abc import Sequence

import msgspec
from msgspec import UNSET

from sitewright.accounts.profiles import service as profiles
from sitewright.kit.problems import Invalid
from sitewright.provisioning.accounts import store
from sitewright.provisioning.accounts.package import TRIAL_ENDED
from sitewright.provisioning.accounts.run import Run
from sitewright.provisioning.accounts.site_plan import (
    Difference,
    PlannedSite,
    difference,
    match,
    unplanned,
)
from sitewright.provisioning.accounts.state import AccountState, SiteState
from sitewright.sites.publishing import service as publishing
from sitewright.sites.sites import service as sites
from sitewright.sites.sites.domains import service as domains
from sitewright.sites.sites.errors import PackageLimitReached
from sitewright.sites.sites.service import NewSite, Site, SiteChanges


class Converging(msgspec.Struct, frozen=True):
    """A described site and the one that exists now."""

    planned: PlannedSite
    state: SiteState
    is_new: bool
    was_published: bool
    """Before the call: a smaller package takes sites offline."""

    @property
    def path(self) -> str:
        return self.planned.path

    @property
    def difference(self) -> Difference:
        return difference(self.state, self.planned)


def differs(state: AccountState, planned: Sequence[PlannedSite], *, prune: bool) -> bool:
    matched = match(state.sites, planned)
    if prune and unplanned(state.sites, matched):
        return True
    return any(found is None or difference(found, site).any for site, found in zip(planned, matched, strict=True))


async def converge_sites(
    run: Run, user_ref: int, planned: Sequence[PlannedSite], online: set[int], *, prune: bool
) -> None:
    """The user's row is locked. `online`: refs of the sites that were published before the call."""
    before = (await store.read_state(run.tx, user_ref)).sites
    matched = match(before, planned)
    if prune:
        for state in unplanned(before, matched):
            await _delete(run, state)
    known = [
        Converging(site, state, False, state.ref in online)
        for site, state in zip(planned, matched, strict=True)
        if state is not None
    ]
    for each in known:
        await _release(run, each)
    for site, found in zip(planned, matched, strict=True):
        if found is None:
            await _create(run, user_ref, site)
    old_refs = {state.ref for state in before}
    now = (await store.read_state(run.tx, user_ref)).sites
    present = [
        Converging(site, state, state.ref not in old_refs, state.ref in online)
        for site, state in zip(planned, match(now, planned), strict=True)
        if state is not None
    ]
    for each in present:
        await _fill(run, each)
    for each in present:
        await _publish(run, each)


async def _delete(run: Run, state: SiteState) -> None:
    async with run.step("sites"):
        await sites.delete_site(run.tx, run.caller, await _locked(run, state.ref))
        run.change("sites", "delete", {"siteRef": state.ref, "domain": state.primary}, None)


async def _release(run: Run, each: Converging) -> None:
    """Unmap names and take the site offline, if so described."""
    found, path = each.difference, each.path
    if found.unmap or found.map:
        run.change(f"{path}.domains", "update", _others(each), each.planned.others)
    for domain in found.unmap:
        async with run.step(f"{path}.domains"):
            await domains.unmap_domain(run.tx, run.caller, await _locked(run, each.state.ref), domain.ref)
    if found.published is False:
        async with run.step(f"{path}.published"):
            await sites.edit_site(run.tx, run.caller, await _locked(run, each.state.ref), SiteChanges(live=False))
    if each.was_published and each.planned.published is False:
        run.change(f"{path}.published", "update", True, False)


def _others(each: Converging) -> list[str]:
    return [name for name in each.state.names if name != each.planned.domain]


async def _create(run: Run, user_ref: int, site: PlannedSite) -> None:
    template_ref = None if site.template_ref is UNSET else site.template_ref
    read = {"account_holder_ref": user_ref, "domain": site.domain, "template_ref": template_ref}
    new = NewSite(brand_ref=run.brand.brand_ref, **read)  # type: ignore[arg-type]
    errors = await sites.check_new_site(run.tx, run.caller, run.brand, read)
    async with run.step(site.path if errors else f"{site.path}.domain"):
        if errors:
            raise Invalid.fields(errors)
        await sites.create_site(run.tx, run.resources.settings, run.caller, run.brand, new)
        run.change(site.path, "create", None, _described(site))


def _described(site: PlannedSite) -> dict[str, object]:
    shown: dict[str, object] = {"domain": site.domain}
    if site.others is not None:
        shown["domains"] = site.others
    if site.business_name is not None:
        shown["businessName"] = site.business_name
    if site.template_ref is not UNSET:
        shown["templateRef"] = site.template_ref
    if site.published is not None:
        shown["published"] = site.published
    return shown


async def _fill(run: Run, each: Converging) -> None:
    """Map names, and set primary domain, template and business name."""
    found, path, ref = each.difference, each.path, each.state.ref
    for name in found.map:
        async with run.step(each.planned.path_of(name)):
            await _map(run, ref, name)
    if found.changes_primary:
        async with run.step(f"{path}.domain"):
            primary = next(domain for domain in each.state.domains if domain.name == each.planned.domain)
            await sites.edit_site(run.tx, run.caller, await _locked(run, ref), SiteChanges(primary_url_ref=primary.ref))
            run.change(f"{path}.domain", "update", each.state.primary, primary.name)
    if found.template_ref is not UNSET:
        async with run.step(path):
            await _choose_template(run, ref, found.template_ref)
            if not each.is_new:
                run.change(f"{path}.templateRef", "update", each.state.template_ref, found.template_ref)
    if found.business_name is not None:
        async with run.step(f"{path}.businessName"):
            fields = {"business": found.business_name}
            await profiles.write_fields(run.tx, run.resources, run.caller, each.state.profile_ref, fields)
            if not each.is_new:
                run.change(f"{path}.businessName", "update", each.state.business_name, found.business_name)


async def _map(run: Run, site_ref: int, name: str) -> None:
    settings = run.resources.settings
    site = await _locked(run, site_ref)
    await domains.check_free(run.tx, settings, run.caller, run.brand, name)
    await domains.check_domain_count(run.tx, settings, site_ref)
    await domains.map_domain(run.tx, run.caller, site, name)


async def _choose_template(run: Run, site_ref: int, template_ref: int | None) -> None:
    site = await _locked(run, site_ref)
    errors = await sites.check_changes(run.tx, site, {"template_ref": template_ref})
    if errors:
        raise Invalid.fields(errors)
    await sites.choose_template(run.tx, run.caller, site, template_ref)


async def _publish(run: Run, each: Converging) -> None:
    """Publish a site that never was; put another one online again."""
    path = f"{each.path}.published"
    if each.difference.published is not True:
        return
    unless = PackageLimitReached if TRIAL_ENDED in run.pending else None
    async with run.step(path, unless=unless):
        site = await _locked(run, each.state.ref)
        if each.state.has_version:
            await sites.edit_site(run.tx, run.caller, site, SiteChanges(live=True))
        else:
            await _publish_first(run, site, is_new=each.is_new)
        if not each.is_new and not each.was_published:
            run.change(path, "update", False, True)


async def _publish_first(run: Run, site: Site, *, is_new: bool) -> None:
    ahead = await publishing.read_ahead(run.tx, site, is_new=is_new)
    prepared = run.ready.snapshots.get(ahead.fingerprint)
    if prepared is None:
        await publishing.check_may_publish(run.tx, site)
        run.needs.sites.append(ahead)
        return
    await publishing.publish(run.tx, run.caller, site, prepared)


async def _locked(run: Run, site_ref: int) -> Site:
    """As it is now; the owner's row is locked already."""
    return await sites.find_site(run.tx, run.caller, site_ref, lock=True)
