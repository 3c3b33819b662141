"""The pages of preview links. They need no log-in; an unknown link and an expired one look the same."""

import asyncio
from contextlib import suppress
from pathlib import Path

from sitewright.kit import tokens
from sitewright.kit.auth.rate_limits import RateLimited, RateLimiter, RateLimits
from sitewright.kit.http.call import Request
from sitewright.kit.http.messages import MessageCatalog
from sitewright.kit.http.page import HTML, UNAVAILABLE, Page, Templates
from sitewright.kit.http.problem_page import problem_page
from sitewright.kit.http.public import PublicRoute
from sitewright.kit.http.responses import Response
from sitewright.kit.resources import Resources
from sitewright.sites.content.errors import PageNotFound
from sitewright.sites.publishing.errors import SiteTooLarge, TemplateFailed
from sitewright.sites.publishing.previews import service
from sitewright.sites.publishing.previews.service import PREVIEW
from sitewright.sites.sites.errors import SiteNotFound
from sitewright.tenants.brands import service as brands
from sitewright.tenants.brands.errors import BrandNotFound
from sitewright.tenants.brands.schemas import BrandSettings
from sitewright.web.login.log_in_as.service import find_banner
from sitewright.web.preview.banner import with_banner
from sitewright.web.preview.links import with_preview_links

CATALOG = MessageCatalog(Path(__file__).parent / "texts")
TEMPLATES = Templates()
PRIVATE = {"x-robots-tag": "noindex, nofollow", "referrer-policy": "no-referrer", "cache-control": "no-store"}
POLICY = (
    "sandbox; default-src 'none'; script-src 'none'; style-src 'unsafe-inline'; img-src http: https: data:;"
    " font-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The content of a site is untrusted: no scripts, no forms, an opaque origin."""
REALM = "links"
"""The budget of wrong links, shared with the other pages of links."""


async def show_preview(request: Request, resources: Resources, token: str, path: str = "") -> Response:
    brand_ref = tokens.brand_of(token)
    site_ref = None
    if brand_ref is not None:
        async with resources.database.transaction(brand_ref) as tx:
            site_ref = await service.find_site_ref(tx, token)
    if brand_ref is None or site_ref is None:
        return await _unknown(request, resources, token)
    request.context.brand_ref = brand_ref
    try:
        html = await service.render_page(resources, brand_ref, site_ref, path)
    except SiteNotFound:
        return await _unknown(request, resources, token)
    except PageNotFound:
        return await _message(request, resources, brand_ref, "no_page", 404, link=PREVIEW + token)
    except (TemplateFailed, SiteTooLarge):
        return await _message(request, resources, brand_ref, "not_rendered", 409)
    linked = await asyncio.to_thread(with_preview_links, html, PREVIEW + token)
    banner = await find_banner(request, resources)
    if banner is not None:
        accepted = request.headers.get("accept-language", "")
        linked = with_banner(linked, banner, CATALOG.messages_for(None, None, accepted))
    return Response(200, linked, PRIVATE | {"content-security-policy": POLICY}, f"{HTML}; charset=utf-8")


async def _unknown(request: Request, resources: Resources, token: str) -> Response:
    try:
        await _count(request, resources, token)
    except RateLimited as limited:
        retry_after = {"retry-after": str(limited.retry_after)}
        return await _message(request, resources, tokens.brand_of(token), "too_many", 429, headers=retry_after)
    return await _message(request, resources, tokens.brand_of(token), "expired", 404)


async def _count(request: Request, resources: Resources, token: str) -> None:
    """Count requests with unknown links by address, as those for password links are. Raises `RateLimited`."""
    settings = resources.settings
    limits = RateLimits(
        realm=REALM,
        window_seconds=settings.failure_window_seconds,
        per_pair=settings.login_failures_per_address,
        per_address=settings.login_failures_per_address,
        address_cap=settings.login_failures_per_address,
        per_account=None,
    )
    limiter = RateLimiter(limits, resources.sealer)
    async with resources.database.lease() as lease:
        await limiter.reserve(lease, limiter.pair(request.origin.address, "preview", token), is_pending=False)


async def _message(
    request: Request,
    resources: Resources,
    brand_ref: int | None,
    text: str,
    status: int,
    *,
    link: str | None = None,
    headers: dict[str, str] | None = None,
) -> Response:
    brand = request.context.brand = await _find_brand(resources, brand_ref)
    accepted = request.headers.get("accept-language", "")
    messages = CATALOG.messages_for(None, brand.language_codes if brand else None, accepted)
    return TEMPLATES.message(
        status,
        messages,
        messages(f"{text}_title"),
        messages(text),
        brand=brand,
        headers=PRIVATE | (headers or {}),
        sign="clock" if text == "expired" else "layout",
        link=None if link is None else (link, messages("to_home")),
        banner=await find_banner(request, resources),
    )


async def _find_brand(resources: Resources, brand_ref: int | None) -> BrandSettings | None:
    if brand_ref is None:
        return None
    with suppress(BrandNotFound):
        async with resources.database.transaction(brand_ref) as tx:
            return await brands.settings_of_brand(tx)
    return None


def _route(path: str, operation_id: str, summary: str) -> PublicRoute:
    return PublicRoute(
        path=path,
        operation_id=operation_id,
        summary=summary,
        description="The page of the site as it would be published now, with its changes, in a sandbox: no scripts, no"
        " forms, an opaque origin. `url` of a new preview link leads to the home page, and from there the site's links"
        " lead to previews of its other pages. A path with slashes is one segment here, with its slashes encoded.",
        responses={
            200: "The page.",
            404: "A page: the link is unknown or has expired, which looks the same; or the site has no such page.",
            409: "A page: the template cannot render the site.",
            429: "A page: too many unknown links were requested from this address.",
            **UNAVAILABLE,
        },
        media_type=HTML,
        tag="publishing",
    )


PUBLIC = (
    _route(PREVIEW + "{token:str}", "showPreview", "The home page of a previewed site."),
    _route(PREVIEW + "{token:str}/{path:str}", "showPreviewPage", "A page of a previewed site."),
)
PAGES = [Page(route, show_preview, problem_page) for route in PUBLIC]
