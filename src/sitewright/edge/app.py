"""The edge server (site listener): maps the request's host to a site, and serves the site's published version.

In this order: fonts, which are the same for every host, probes of health checks, challenges and validation files of
certificate authorities, log-in hashes, redirect to https, redirect to the primary domain, then the page. Cached pages
need no database query.
"""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import suppress

from sitewright.edge import acme_challenges, builtin_pages, fonts, probe, store
from sitewright.edge.access_log import AccessLog, log_fields
from sitewright.edge.brand_looks import BrandLooks
from sitewright.edge.certificate_cache import CertificateCache
from sitewright.edge.compression import compressed
from sitewright.edge.contact_form import PATH as CONTACT
from sitewright.edge.contact_form import ContactForm
from sitewright.edge.decompression import Decompressor
from sitewright.edge.file_cache import FileCache, SnapshotGone
from sitewright.edge.media import PREFIX as MEDIA
from sitewright.edge.media import MediaDelivery
from sitewright.edge.notifications import CacheInvalidator
from sitewright.edge.published_site import PublishedSite
from sitewright.edge.redirects import redirect_for
from sitewright.edge.request import Host, RequestReader, SiteRequest, path_of
from sitewright.edge.response import NO_STORE, Response, page_response, with_content_policy, with_hsts
from sitewright.edge.response_cache import ResponseCache
from sitewright.edge.single_flight import SingleFlight
from sitewright.edge.site_cache import SiteCache
from sitewright.edge.site_redirects import SiteRedirects
from sitewright.edge.store import Site
from sitewright.edge.visits import VisitCounter, counted_page
from sitewright.kit import clock
from sitewright.kit.http.api_app import MAX_URL_BYTES
from sitewright.kit.http.asgi import HTTPScope, Ready, Receive, Send
from sitewright.kit.http.responses import log_internal_error, send_body
from sitewright.kit.problems import Unavailable
from sitewright.kit.resources import Resources
from sitewright.kit.ui.brand import BrandLook

VALIDATION = b"/.well-known/pki-validation/fileauth/"
PLAIN_TEXT = "text/plain; charset=utf-8"
MIB = 1024 * 1024
_VALIDATION_HASH = re.compile(rb"[A-Za-z0-9._-]{1,128}")


class SiteListener:
    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        lookups = SingleFlight()
        self.sites = SiteCache(resources.reads, lookups)
        self.certificates = CertificateCache(resources, lookups)
        cache_bytes = resources.settings.site_cache_mib * MIB
        page_bytes = resources.settings.rendered_page_mib * MIB
        self._decompressor = Decompressor()
        media_bytes, response_bytes, redirect_bytes = cache_bytes // 4, cache_bytes // 8, cache_bytes // 32
        file_bytes = cache_bytes - media_bytes - response_bytes - redirect_bytes
        self.files = FileCache(resources.reads, lookups, self._decompressor, file_bytes, page_bytes)
        self.access_log = AccessLog(resources.metrics)
        has_proxies = bool(resources.settings.trusted_proxies)
        self._response_cache = ResponseCache(
            self.sites, resources.proxies, has_proxies=has_proxies, max_bytes=response_bytes
        )
        self._request_reader = RequestReader(resources.proxies, has_proxies=has_proxies)
        self._looks = BrandLooks(resources.reads)
        redirects = SiteRedirects(self.sites, self.files, self._decompressor, redirect_bytes)
        self._published = PublishedSite(self.files, self._decompressor, self._looks, redirects)
        self.media = MediaDelivery(resources, self.sites, self.files.bodies, media_bytes)
        self.visits = VisitCounter(resources.database)
        self._contact_form = ContactForm(resources, self.files, self._request_reader, self._looks)

    async def work(self) -> None:
        """Run the background tasks for the life of the process."""
        async with asyncio.TaskGroup() as group:
            invalidator = CacheInvalidator(self.sites, self.certificates, self._resources.reads.position)
            group.create_task(invalidator.run(self._resources.database))
            if self._resources.reads.has_replicas:
                group.create_task(self._resources.reads.position.run())
            group.create_task(self.certificates.run())
            group.create_task(self.access_log.run())
            group.create_task(self.visits.run())
            group.create_task(self._resources.metrics.watch(self._resources.database.pool))

    async def __call__(self, scope: HTTPScope, receive: Receive, send: Send) -> None:
        started = clock.stopwatch()
        request = self._request_reader.read(scope)
        response = await self._respond_safely(request, receive)
        if request.accepts_gzip:
            response = compressed(response)
        if request.is_https and request.site is not None and request.site.has_hsts:
            response = with_hsts(response)
        if request.site is not None and request.site.has_content_policy:
            response = with_content_policy(response)
        headers = (*response.headers, (b"x-request-id", request.request_id))
        page = counted_page(request, response)
        if page is not None and request.site is not None:
            self.visits.add(request.site, page, request.headers)
        self._response_cache.put(request, response, page)
        self.access_log.add(log_fields(request, response.status), request.request_id, started, clock.stopwatch())
        await send({"type": "http.response.start", "status": response.status, "headers": headers})
        if request.stream is not None:
            await _send_stream(request.stream, receive, send)
        elif response.decompress:
            await self._send_decompressed(request, response.body, receive, send)
        else:
            await send_body(response.body, send)

    async def _send_decompressed(
        self, request: SiteRequest, body: bytes | memoryview, receive: Receive, send: Send
    ) -> None:
        if request.method == "HEAD":
            await send({"type": "http.response.body", "body": b""})
        else:
            await _send_stream(self._decompressor.stream(body), receive, send)

    def cached_response(self, scope: HTTPScope, headers: dict[bytes, bytes]) -> Ready | None:
        """Return the cached response to an equal earlier request: the fast path of most requests."""
        started = clock.stopwatch()
        cached = self._response_cache.find(scope, headers)
        if cached is None:
            return None
        if cached.page is not None and cached.site_entry.value is not None:
            self.visits.add(cached.site_entry.value, cached.page, headers)
        request_id = self._request_reader.request_id(headers)
        self.access_log.add(cached.log_fields, request_id, started, clock.stopwatch())
        return b"%sx-request-id: %s\r\n" % (cached.response.head, request_id), cached.response.body

    async def _respond_safely(self, request: SiteRequest, receive: Receive) -> Response:
        try:
            return await self._respond(request, receive)
        except Unavailable:
            language = None if request.site is None else request.site.language_code
            return builtin_pages.unavailable(language, request.headers.get(b"accept-language", b""))
        except Exception as error:
            log_internal_error(error, request.request_id.decode("ascii"))
            return builtin_pages.internal_error(request.headers.get(b"accept-language", b""))

    async def _respond(self, request: SiteRequest, receive: Receive) -> Response:
        host = request.host
        if len(request.raw_path) + len(request.query) > MAX_URL_BYTES:
            request.route = "too-long"
            return builtin_pages.too_long(request.headers.get(b"accept-language", b""))
        if (common := self._common_to_all_hosts(request)) is not None:
            return common
        if host is None:
            return _holding(request, None)
        if request.raw_path.startswith(acme_challenges.PREFIX):
            return await acme_challenges.respond(self._resources, request, host)
        return await self._respond_at(request, host, receive)

    async def _respond_at(self, request: SiteRequest, host: Host, receive: Receive) -> Response:
        site = request.site = await self.sites.find(host.name)
        if site is None:
            return _holding(request, await self._looks.of_host(host.name))
        if request.raw_path.startswith(VALIDATION):
            return await self._validation(request, site)
        redirection = redirect_for(request, site, host, self._resources.settings)
        return redirection or await self._online(request, site, host, receive)

    def _common_to_all_hosts(self, request: SiteRequest) -> Response | None:
        """What is served for every host, whether a site has it or not."""
        if request.is_read and request.raw_path.startswith(fonts.PREFIX):
            return fonts.respond(request)
        if request.host is not None and request.raw_path.startswith(probe.PATH):
            return probe.respond(self._resources.sealer, request, request.host)
        return None

    async def _online(self, request: SiteRequest, site: Site, host: Host, receive: Receive) -> Response:
        """A missing snapshot means that a notification was missed: look the site up again, once."""
        if not site.is_online:
            return await self._offline(request, site)
        try:
            return await self._page(request, site, host, receive)
        except SnapshotGone:
            self.sites.evict(host.name)
            current = request.site = await self.sites.find(host.name)
        if current is None:
            return _holding(request, await self._looks.of_host(host.name))
        if current.is_online and current.version_ref != site.version_ref:
            with suppress(SnapshotGone):
                return await self._page(request, current, host, receive)
        return await self._offline(request, current)

    async def _offline(self, request: SiteRequest, site: Site) -> Response:
        request.route = "offline"
        look = await self._looks.of_brand(site.brand_ref)
        return builtin_pages.offline(site.language_code, look, site.offline_reason)

    async def _page(self, request: SiteRequest, site: Site, host: Host, receive: Receive) -> Response:
        if request.is_read and request.raw_path.startswith(MEDIA):
            return await self.media.respond(request, site, host)
        is_contact = path_of(request.raw_path) == CONTACT if request.raw_path.startswith(b"/_") else False
        if request.is_read and not is_contact:
            return await self._published.respond(request, site, host)
        if request.method == "POST" and is_contact:
            return await self._contact_form.handle(request, site, host, receive)
        request.route = "not-allowed"
        look = await self._looks.of_brand(site.brand_ref)
        return builtin_pages.not_allowed(site.language_code, "POST" if is_contact else "GET, HEAD", look)

    async def _validation(self, request: SiteRequest, site: Site) -> Response:
        request.route = "validation"
        name = request.raw_path.removeprefix(VALIDATION)
        content = None
        if _VALIDATION_HASH.fullmatch(name):
            async with self._resources.database.transaction(site.brand_ref) as tx:
                content = await store.read_validation(tx, site.domain_ref, name.decode("ascii"))
        if content is None:
            return page_response("not-found", 404, b"There is no such file.\n", PLAIN_TEXT, (NO_STORE,))
        return page_response("page", 200, content.encode(), PLAIN_TEXT, (NO_STORE,))


async def _send_stream(chunks: AsyncIterator[bytes], receive: Receive, send: Send) -> None:
    """Stream a body; `send` applies back-pressure but does not report a client that disconnected."""
    leaving = asyncio.create_task(_disconnected(receive))
    try:
        async for chunk in chunks:
            if leaving.done():
                return
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
    finally:
        leaving.cancel()
    await send({"type": "http.response.body", "body": b""})


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _holding(request: SiteRequest, look: BrandLook | None) -> Response:
    request.route = "holding"
    return builtin_pages.holding(request.headers.get(b"accept-language", b""), look)
