from collections.abc import Awaitable, Callable
from typing import Any

from sitewright.kit.auth.caller import Caller
from sitewright.kit.http import Call, Prepare, endpoint
from sitewright.kit.problems import Problem
from sitewright.kit.resources import Resources
from sitewright.kit.validation import parse_ref
from sitewright.kit.versions import Since
from sitewright.sites.publishing import service
from sitewright.sites.publishing.errors import SiteChanged, SiteTooLarge, TemplateFailed
from sitewright.sites.publishing.schemas import Publishable, PublishedSite, PublishReason
from sitewright.sites.sites.errors import AccountHolderDeleted, PackageLimitReached, SiteDisabled, SiteNotFound
from sitewright.sites.sites.service import find_site

SITE = "/sites/{site_ref:int}"
CANNOT_SHOW = (TemplateFailed, SiteTooLarge)
Work = Callable[[Resources, int, Caller, int], Awaitable[Any]]


def _first(work: Work) -> Prepare:
    """Before a connection is taken. What stands in the way is left to the endpoint."""

    async def prepare(call: Call) -> None:
        site_ref = parse_ref(call.incoming.path.split("/")[2])
        if site_ref is None or call.brand_ref is None:
            return
        try:
            call.prepared = await work(call.resources, call.brand_ref, call.caller, site_ref)
        except Problem as problem:
            if problem.status >= 500:
                raise

    return prepare


@endpoint(
    "POST",
    SITE + "/publish",
    since=(Since(release=42),),
    prepare=_first(service.prepare),
    errors=(SiteNotFound, SiteDisabled, AccountHolderDeleted, PackageLimitReached, SiteChanged, *CANNOT_SHOW),
)
async def publish_site(call: Call, site_ref: int) -> PublishedSite:
    """Publish a site: its active pages become what visitors see, all at once, and the site is live.

    A package may limit how many sites are live (`liveSites`), and how many pages each has (`pagesLimited`, where
    `restrictPagesOnPublish` is on). Subscribers of `site.publish` are told. What is changed while the site is put
    together is published too; `siteChanged` says that it was changed again and again meanwhile.
    """
    site = await find_site(call.tx, call.caller, site_ref)
    published = await service.publish(call.tx, call.caller, site, call.prepared)
    return PublishedSite(published.version_ref, published.last_publish)


@endpoint("GET", SITE + "/publishable", prepare=_first(service.check), errors=(SiteNotFound,))
async def get_publishable(call: Call, site_ref: int) -> Publishable:
    """Whether a site can be published, and what stands in the way. A site that was changed is put together for it."""
    site = await find_site(call.tx, call.caller, site_ref)
    reasons = await service.reasons(call.tx, call.resources, site, call.prepared)
    told = [PublishReason(reason.code, reason.detail) for reason in reasons]
    return Publishable(all(reason.is_warning for reason in reasons), told)


@endpoint(
    "POST", SITE + "/reset", status=204, prepare=_first(service.prepare_reset), errors=(SiteNotFound, SiteChanged)
)
async def reset_site(call: Call, site_ref: int) -> None:
    """Remove everything from a site: pages, widgets, global and static values, and all that was published of it.

    Its profile, template and domains stay. A live site shows an empty home page from then on.
    """
    site = await find_site(call.tx, call.caller, site_ref)
    await service.reset(call.tx, call.caller, site, call.prepared)


endpoints = [publish_site, get_publishable, reset_site]
