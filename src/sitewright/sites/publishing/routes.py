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
from sitewright.sites.publishing.previews.routes import endpoints as preview_endpoints
from sitewright.sites.publishing.schemas import Publishable, PublishedSite, PublishReason
from sitewright.sites.publishing.versions.routes import endpoints as version_endpoints
from sitewright.sites.sites.errors import AccountHolderDeleted, PackageLimitReached, SiteDisabled, SiteNotFound
from sitewright.sites.sites.service import find_site

SITE = "/sites/{site_ref:int}"
RENDERING_ERRORS = (TemplateFailed, SiteTooLarge)
Preparation = Callable[[Resources, int, Caller, int], Awaitable[Any]]


def _prepare_with(preparation: Preparation) -> Prepare:
    """Render before the endpoint's transaction begins, so that no connection is held meanwhile.

    Client errors are ignored here, since the endpoint makes the same checks and raises them.
    """

    async def prepare(call: Call) -> None:
        site_ref = parse_ref(call.request.path.split("/")[2])
        if site_ref is None or call.brand_ref is None:
            return
        try:
            call.prepared = await preparation(call.resources, call.brand_ref, call.caller, site_ref)
        except Problem as problem:
            if problem.status >= 500:
                raise

    return prepare


@endpoint(
    "POST",
    SITE + "/publish",
    since=(Since(release=42),),
    prepare=_prepare_with(service.prepare),
    errors=(SiteNotFound, SiteDisabled, AccountHolderDeleted, PackageLimitReached, SiteChanged, *RENDERING_ERRORS),
)
async def publish_site(call: Call, site_ref: int) -> PublishedSite:
    """Publish a site: its active pages become what visitors see, all at once, and the site is live.

    A package may limit how many sites are live (`liveSites`), and how many pages each has (`pagesLimited`, where
    `restrictPagesOnPublish` is on). Subscribers of `site.publish` are notified. A change during rendering is published
    too; `siteChanged` means that the site was changed repeatedly meanwhile.
    """
    site = await find_site(call.tx, call.caller, site_ref)
    published = await service.publish(call.tx, call.caller, site, call.prepared)
    return PublishedSite(published.version_ref, published.last_publish)


@endpoint("GET", SITE + "/publishable", prepare=_prepare_with(service.check), errors=(SiteNotFound,))
async def get_publishable(call: Call, site_ref: int) -> Publishable:
    """Whether a site can be published, and the reasons if not. A changed site is rendered to find out."""
    site = await find_site(call.tx, call.caller, site_ref)
    reasons = await service.reasons(call.tx, call.resources, site, call.prepared)
    listed = [PublishReason(reason.code, reason.detail) for reason in reasons]
    return Publishable(all(reason.is_warning for reason in reasons), listed)


@endpoint(
    "POST",
    SITE + "/reset",
    status=204,
    prepare=_prepare_with(service.prepare_reset),
    errors=(SiteNotFound, SiteChanged),
)
async def reset_site(call: Call, site_ref: int) -> None:
    """Remove all content from a site: pages, widgets, global and static values, and all published versions.

    Its profile, template and domains are kept. A live site then shows an empty home page.
    """
    site = await find_site(call.tx, call.caller, site_ref)
    await service.reset(call.tx, call.caller, site, call.prepared)


endpoints = [publish_site, get_publishable, reset_site, *version_endpoints, *preview_endpoints]
