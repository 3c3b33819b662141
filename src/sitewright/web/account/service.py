"""What account holders may see and do on their own sites. Everything that changes is changed by the services below."""

from contextlib import suppress

import msgspec

from sitewright.accounts.profiles import service as profiles
from sitewright.catalogue.templates import service as templates
from sitewright.catalogue.templates.schemas import ChoosableTemplate
from sitewright.kit.problems import Invalid, Problem
from sitewright.sites.publishing import service as publishing
from sitewright.sites.publishing.service import Prepared, Reason
from sitewright.sites.sites import service as sites
from sitewright.sites.sites.errors import SiteNotFound
from sitewright.sites.sites.schemas import DomainMapping
from sitewright.sites.sites.service import Site, SiteChanges
from sitewright.web.account.details import read_details
from sitewright.web.account.errors import NotYours
from sitewright.web.account.visits import Visit

INACTIVE = "inactive"
CHECK_WAIT_SECONDS = 1.0
"""For a rendering slot, when a page is opened: without one the page is shown without what rendering would find."""


class Presented(msgspec.Struct, frozen=True, kw_only=True):
    """A site as its page shows it."""

    site: Site
    domains: list[str]
    template: ChoosableTemplate | None
    reasons: list[Reason]
    details: dict[str, str]
    unverified_address: str | None
    """The profile's e-mail address, while visitors' messages do not go there yet."""


async def find_own_site(visit: Visit, site_ref: int | None, *, lock: bool = False) -> Site:
    """Another user's is as good as made up."""
    if site_ref is None:
        raise NotYours
    try:
        site = await sites.find_site(visit.tx, visit.caller, site_ref)
    except SiteNotFound:
        raise NotYours from None
    if site.user_ref != visit.holder.user_ref:
        raise NotYours
    return await sites.find_site(visit.tx, visit.caller, site_ref, lock=True) if lock else site


async def list_own_sites(visit: Visit) -> list[Site]:
    return await sites.list_user_sites(visit.tx, visit.holder.user_ref)


async def present(visit: Visit, site: Site, checked: list[Reason] | None = None) -> Presented:
    """`checked`: what `check` has found, where it was asked for."""
    choosable = await templates.list_choosable(visit.tx, visit.holder.user_ref)
    return Presented(
        site=site,
        domains=_primary_first(site, await sites.list_domains(visit.tx, site.ref)),
        template=next((each for each in choosable if each.ref == site.template_ref), None),
        reasons=await publishing.reasons(visit.tx, visit.resources, site, checked),
        details=await profiles.read_fields(visit.tx, site.profile_ref),
        unverified_address=await profiles.unverified_address(visit.tx, site.profile_ref),
    )


def must_be_activated(site: Site) -> bool:
    """The publish call does not mind an inactive site; its owner's button leads to where the brand activates it."""
    return site.activation_status == INACTIVE


async def check(visit: Visit, site: Site) -> list[Reason] | None:
    """What rendering the site would find. None where it cannot be told just now: the page is shown all the same."""
    with suppress(Problem):
        return await publishing.check(
            visit.resources, visit.brand.brand_ref, visit.caller, site.ref, wait_seconds=CHECK_WAIT_SECONDS
        )
    return None


async def prepare(visit: Visit, site: Site) -> Prepared | None:
    """What would be published. What stands in its way is told by `publish`."""
    try:
        return await publishing.prepare(visit.resources, visit.brand.brand_ref, visit.caller, site.ref)
    except Problem as problem:
        if problem.status >= 500:
            raise
    return None


async def publish(visit: Visit, site: Site, prepared: Prepared | None) -> None:
    await publishing.publish(visit.tx, visit.caller, site, prepared)


async def set_live(visit: Visit, site: Site, *, live: bool) -> None:
    await sites.edit_site(visit.tx, visit.caller, site, SiteChanges(live=live))


async def save_details(visit: Visit, site: Site, sent: dict[str, str]) -> None:
    """Only what has changed is written; what is empty and was never there stays away."""
    profile = await profiles.read_fields(visit.tx, site.profile_ref)
    details = read_details(sent, profile)
    changed = {name: value for name, value in details.items() if value != profile.get(name, "")}
    unverified = await profiles.unverified_address(visit.tx, site.profile_ref)
    if unverified is not None and details.get("email") == profile.get("email"):
        changed["email"] = profile["email"]  # saved once more: another link is mailed
    if changed:
        await profiles.write_fields(visit.tx, visit.resources, visit.caller, site.profile_ref, changed)


async def choose_template(visit: Visit, site: Site, template_ref: int) -> None:
    if not await templates.is_choosable(visit.tx, template_ref, visit.holder.user_ref):
        raise Invalid.fields({"templateRef": {"invalidTemplateRef": "is not a template that may be chosen"}})
    await sites.edit_site(visit.tx, visit.caller, site, SiteChanges(template_ref=template_ref))


async def check_previewable(visit: Visit, template_ref: int | None) -> int:
    """Only what may be chosen may be looked at."""
    if template_ref is None or not await templates.is_choosable(visit.tx, template_ref, visit.holder.user_ref):
        raise NotYours
    return template_ref


async def preview(visit: Visit, site: Site, template_ref: int) -> bytes:
    """The home page in that template. Hold no connection meanwhile."""
    return await publishing.preview(visit.resources, visit.brand.brand_ref, visit.caller, site.ref, template_ref)


def _primary_first(site: Site, domains: list[DomainMapping]) -> list[str]:
    return [each.domain for each in sorted(domains, key=lambda each: each.ref != site.primary_domain_ref)]
