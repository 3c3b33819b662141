from sitewright.kit.http import Call, endpoint
from sitewright.kit.problems import Problem
from sitewright.kit.validation import parse_ref
from sitewright.publishing import service
from sitewright.publishing.errors import SiteTooLarge, TemplateFailed
from sitewright.publishing.schemas import Publishable, PublishedSite, PublishReason
from sitewright.sites.errors import AccountHolderDeleted, PackageLimitReached, SiteDisabled, SiteNotFound
from sitewright.sites.service import find_site

SITE = "/sites/{site_ref:int}"
CANNOT_SHOW = (TemplateFailed, SiteTooLarge)


async def render_first(call: Call) -> None:
    """Before a connection is taken. What stands in the way is left to the endpoint."""
    site_ref = parse_ref(call.incoming.path.split("/")[2])
    if site_ref is None or call.brand_ref is None:
        return
    try:
        call.prepared = await service.prepare(call.resources, call.brand_ref, call.caller, site_ref)
    except Problem:
        return


@endpoint(
    "POST",
    SITE + "/publish",
    prepare=render_first,
    errors=(SiteNotFound, SiteDisabled, AccountHolderDeleted, PackageLimitReached, *CANNOT_SHOW),
)
async def publish_site(call: Call, site_ref: int) -> PublishedSite:
    """Publish a site: its active pages become what visitors see, all at once, and the site is live.

    A package may limit how many sites are live (`liveSites`), and how many pages each has (`pagesLimited`, where
    `restrictPagesOnPublish` is on). Subscribers of `site.publish` are told.
    """
    site = await find_site(call.tx, call.caller, site_ref)
    published = await service.publish(call.tx, call.resources, call.caller, site, call.prepared)
    return PublishedSite(published.version_ref, published.last_publish)


@endpoint("GET", SITE + "/publishable", errors=(SiteNotFound,))
async def get_publishable(call: Call, site_ref: int) -> Publishable:
    """Whether a site can be published, and what stands in the way."""
    site = await find_site(call.tx, call.caller, site_ref)
    reasons = await service.reasons(call.tx, call.resources, site)
    told = [PublishReason(reason.code, reason.detail) for reason in reasons]
    return Publishable(all(reason.is_warning for reason in reasons), told)


@endpoint("POST", SITE + "/reset", status=204, errors=(SiteNotFound,))
async def reset_site(call: Call, site_ref: int) -> None:
    """Remove everything from a site: pages, widgets, global and static values, and all that was published of it.

    Its profile, template and domains stay. A live site shows an empty home page from then on.
    """
    site = await find_site(call.tx, call.caller, site_ref)
    await service.reset(call.tx, call.resources, call.caller, site)


endpoints = [publish_site, get_publishable, reset_site]
