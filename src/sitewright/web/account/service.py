"""What account holders can see and do on their own sites, through the services of the features."""

from collections.abc import Sequence
from contextlib import suppress

import msgspec

from sitewright.accounts.profiles import service as profiles
from sitewright.catalogue.templates.schemas import ChoosableTemplate
from sitewright.kit.problems import Invalid, Problem
from sitewright.sites.publishing import service as publishing
from sitewright.sites.publishing.service import Prepared, Reason
from sitewright.sites.sites import service as sites
from sitewright.sites.sites.errors import SiteNotFound
from sitewright.sites.sites.schemas import DomainMapping
from sitewright.sites.sites.service import Site, SiteChanges
from sitewright.web.account import store
from sitewright.web.account.details import read_details, without_unchanged
from sitewright.web.account.errors import OwnSiteNotFound
from sitewright.web.account.overview import SiteFacts
from sitewright.web.account.page_request import PageRequest
from sitewright.web.account.site_settings import may_manage_security

INACTIVE = "inactive"
CHECK_WAIT_SECONDS = 1.0
"""Timeout for a render slot when a page is opened; without one the page is shown without rendering errors."""


class Presented(msgspec.Struct, frozen=True, kw_only=True):
    """A site as its page shows it."""

    site: Site
    domains: list[DomainMapping]
    """The main address first."""
    template: ChoosableTemplate | None
    reasons: list[Reason]
    details: dict[str, str]
    has_page: bool
    manages_security: bool
    """Whether the package lets the account holder choose the protocol."""
    unverified_address: str | None
    """The profile's e-mail address while it is not verified, so visitors' messages do not go there."""


async def find_own_site(request: PageRequest, site_ref: int | None, *, lock: bool = False) -> Site:
    """Find a site of the user; another user's site looks like a missing one."""
    if site_ref is None:
        raise OwnSiteNotFound
    try:
        site = await sites.find_site(request.tx, request.caller, site_ref)
    except SiteNotFound:
        raise OwnSiteNotFound from None
    if site.user_ref != request.holder.user_ref:
        raise OwnSiteNotFound
    return await sites.find_site(request.tx, request.caller, site_ref, lock=True) if lock else site


async def list_own_sites(request: PageRequest) -> list[Site]:
    return await sites.list_user_sites(request.tx, request.holder.user_ref)


async def list_facts(request: PageRequest) -> list[SiteFacts]:
    """Every site of the user that is not deleted, with what pages show of it."""
    return await facts_of(request, await list_own_sites(request))


async def facts_of(request: PageRequest, own: Sequence[Site]) -> list[SiteFacts]:
    brand_domain = (request.brand.domain or "").lower()
    rows = await store.read_facts(request.tx, [site.ref for site in own], brand_domain)
    return [
        SiteFacts(
            site=site,
            business=rows[site.ref].business,
            has_page=rows[site.ref].has_page,
            has_own_domain=rows[site.ref].has_own_domain,
        )
        for site in own
    ]


async def present(request: PageRequest, site: Site, checked: list[Reason] | None = None) -> Presented:
    """Build the view of a site; `checked` is the result of `check`."""
    choosable = await sites.list_choosable_templates(request.tx, site.user_ref, site.template_ref)
    return Presented(
        site=site,
        domains=_primary_first(site, await sites.list_domains(request.tx, site.ref)),
        template=next((each for each in choosable if each.ref == site.template_ref), None),
        reasons=await publishing.reasons(request.tx, request.resources, site, checked),
        details=await profiles.read_fields(request.tx, site.profile_ref),
        has_page=await store.has_page(request.tx, site.ref),
        manages_security=await may_manage_security(request, site),
        unverified_address=await profiles.unverified_address(request.tx, site.profile_ref),
    )


def must_be_activated(site: Site) -> bool:
    """Whether the owner's publish button redirects to the brand's activation page (the API publishes regardless)."""
    return site.activation_status == INACTIVE


async def check(request: PageRequest, site: Site) -> list[Reason] | None:
    """Check the rendering of the site; None when that is not possible now, and the page is shown without it."""
    with suppress(Problem):
        return await publishing.check(
            request.resources, request.brand.brand_ref, request.caller, site.ref, wait_seconds=CHECK_WAIT_SECONDS
        )
    return None


async def prepare(request: PageRequest, site: Site) -> Prepared | None:
    """Render the snapshot; client errors are raised again by `publish`."""
    try:
        return await publishing.prepare(request.resources, request.brand.brand_ref, request.caller, site.ref)
    except Problem as problem:
        if problem.status >= 500:
            raise
    return None


async def publish(request: PageRequest, site: Site, prepared: Prepared | None) -> None:
    await publishing.publish(request.tx, request.caller, site, prepared)


async def set_live(request: PageRequest, site: Site, *, live: bool) -> None:
    await sites.edit_site(request.tx, request.caller, site, SiteChanges(live=live))


async def save_details(request: PageRequest, site: Site, sent: dict[str, str]) -> None:
    """Write only fields that differ from what the form showed and from what is stored.

    Empty fields that never existed are not created.
    """
    profile = await profiles.read_fields(request.tx, site.profile_ref)
    details = read_details(without_unchanged(sent, profile), profile)
    changed = {name: value for name, value in details.items() if value != profile.get(name, "")}
    unverified = await profiles.unverified_address(request.tx, site.profile_ref)
    if unverified is not None and details.get("email") == profile.get("email"):
        changed["email"] = profile["email"]  # saving it again mails another verification link
    if changed:
        await profiles.write_fields(request.tx, request.resources, request.caller, site.profile_ref, changed)


async def choose_template(request: PageRequest, site: Site, template_ref: int) -> None:
    if not await sites.may_choose_template(request.tx, site.user_ref, template_ref, site.template_ref):
        raise Invalid.fields({"templateRef": {"invalidTemplateRef": "is not a template that may be chosen"}})
    await sites.edit_site(request.tx, request.caller, site, SiteChanges(template_ref=template_ref))


async def check_previewable(request: PageRequest, site: Site, template_ref: int | None) -> int:
    """Only templates that can be chosen can be previewed."""
    if template_ref is None:
        raise OwnSiteNotFound
    if not await sites.may_choose_template(request.tx, site.user_ref, template_ref, site.template_ref):
        raise OwnSiteNotFound
    return template_ref


async def preview(request: PageRequest, site: Site, template_ref: int | None) -> bytes:
    """Render the home page in that template, or in its own; call it without holding a connection."""
    return await publishing.preview(request.resources, request.brand.brand_ref, request.caller, site.ref, template_ref)


def _primary_first(site: Site, domains: list[DomainMapping]) -> list[DomainMapping]:
    return sorted(domains, key=lambda each: each.ref != site.primary_domain_ref)


async def version_of(request: PageRequest, site: Site) -> str:
    """Identify the current rendering of the site, for caches."""
    return await publishing.fingerprint(request.tx, site)
