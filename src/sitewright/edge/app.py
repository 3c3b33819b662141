"""The site listener: which site a visitor's host belongs to, and what the visitor gets of it.

In this order: files that certificate authorities look for, log-in hashes, the way to https, the way to the primary
domain, and then the page. What is at hand is answered from memory, without asking the database.
"""

import asyncio
import re
from contextlib import suppress

from sitewright.edge import own_pages, store
from sitewright.edge.addresses import elsewhere
from sitewright.edge.answer import NO_STORE, Answer, answer, by_https_alone
from sitewright.edge.certificates import Certificates
from sitewright.edge.contact_form import PATH as CONTACT
from sitewright.edge.contact_form import ContactForm
from sitewright.edge.files import Files, SnapshotGone
from sitewright.edge.inflating import Inflater
from sitewright.edge.journal import Journal, about
from sitewright.edge.published import Published
from sitewright.edge.questions import Questions
from sitewright.edge.shortcuts import Shortcuts
from sitewright.edge.sites import Sites
from sitewright.edge.store import Site
from sitewright.edge.visit import Host, Reception, Visit, path_of
from sitewright.edge.watch import Listeners, watch
from sitewright.kit import clock
from sitewright.kit.http.answers import bug_logged, send_body
from sitewright.kit.http.asgi import HTTPScope, Ready, Receive, Send
from sitewright.kit.http.front import MAX_ADDRESS_BYTES
from sitewright.kit.problems import Unavailable
from sitewright.kit.resources import Resources

VALIDATION = b"/.well-known/pki-validation/fileauth/"
MIB = 1024 * 1024
_VALIDATION_HASH = re.compile(rb"[A-Za-z0-9._-]{1,128}")


class SiteListener:
    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        questions = Questions()
        self.sites = Sites(resources.database, questions)
        self.certificates = Certificates(resources, questions)
        room = resources.settings.site_cache_mib * MIB
        page_bytes = resources.settings.rendered_page_mib * MIB
        self._inflater = Inflater()
        self.files = Files(resources.database, questions, self._inflater, room - room // 8, page_bytes)
        self.journal = Journal(resources.metrics)
        has_proxies = bool(resources.settings.trusted_proxies)
        self._shortcuts = Shortcuts(self.sites, resources.proxies, has_proxies=has_proxies, room=room // 8)
        self._reception = Reception(resources.proxies, has_proxies=has_proxies)
        self._published = Published(self.files, self._inflater)
        self._contact_form = ContactForm(resources, self.files, self._reception)

    async def work(self) -> None:
        """What goes on beside the visits, for as long as the process lives."""
        async with asyncio.TaskGroup() as group:
            group.create_task(watch(self._resources.database, Listeners(self.sites, self.certificates)))
            group.create_task(self.certificates.keep())
            group.create_task(self.journal.keep())
            group.create_task(self._resources.metrics.watch(self._resources.database.pool))

    async def __call__(self, scope: HTTPScope, receive: Receive, send: Send) -> None:
        started = clock.stopwatch()
        visit = self._reception.welcome(scope)
        found = await self._answered(visit, receive)
        if visit.is_https and visit.site is not None and visit.site.has_hsts:
            found = by_https_alone(found)
        headers = (*found.headers, (b"x-request-id", visit.request_id))
        self._shortcuts.keep(visit, found)
        self.journal.add(about(visit, found.status), visit.request_id, started, clock.stopwatch())
        await send({"type": "http.response.start", "status": found.status, "headers": headers})
        if found.inflates:
            await self._send_inflated(visit, found.body, receive, send)
        else:
            await send_body(found.body, send)

    async def _send_inflated(self, visit: Visit, body: bytes | memoryview, receive: Receive, send: Send) -> None:
        """`send` waits while the visitor reads slowly, and is silent about one who left, for whom nothing is done."""
        if visit.method != "HEAD":
            leaving = asyncio.create_task(_disconnected(receive))
            try:
                async for chunk in self._inflater.chunks(body):
                    if leaving.done():
                        return
                    await send({"type": "http.response.body", "body": chunk, "more_body": True})
            finally:
                leaving.cancel()
        await send({"type": "http.response.body", "body": b""})

    def at_hand(self, scope: HTTPScope, headers: dict[bytes, bytes]) -> Ready | None:
        """A page that was visited before just so: most visits, and so the shortest way."""
        started = clock.stopwatch()
        shortcut = self._shortcuts.find(scope, headers)
        if shortcut is None:
            return None
        request_id = self._reception.request_id(headers)
        self.journal.add(shortcut.about, request_id, started, clock.stopwatch())
        return b"%sx-request-id: %s\r\n" % (shortcut.answer.head, request_id), shortcut.answer.body

    async def _answered(self, visit: Visit, receive: Receive) -> Answer:
        try:
            return await self._answer(visit, receive)
        except Unavailable:
            language = None if visit.site is None else visit.site.language_code
            return own_pages.away(language, visit.headers.get(b"accept-language", b""))
        except Exception as error:
            bug_logged(error, visit.request_id.decode("ascii"))
            return own_pages.bug(visit.headers.get(b"accept-language", b""))

    async def _answer(self, visit: Visit, receive: Receive) -> Answer:
        host = visit.host
        if len(visit.raw_path) + len(visit.query) > MAX_ADDRESS_BYTES:
            visit.route = "too-long"
            return own_pages.too_long(visit.headers.get(b"accept-language", b""))
        if host is None:
            return _holding(visit)
        site = visit.site = await self.sites.find(host.name)
        if site is None:
            return _holding(visit)
        if visit.raw_path.startswith(VALIDATION):
            return await self._validation(visit, site)
        return elsewhere(visit, site, host, self._resources.settings) or await self._online(visit, site, host, receive)

    async def _online(self, visit: Visit, site: Site, host: Host, receive: Receive) -> Answer:
        """A snapshot that is gone means that something changed, and that we were not told: look again, once."""
        if not site.is_online:
            return _offline(visit, site)
        try:
            return await self._page(visit, site, host, receive)
        except SnapshotGone:
            self.sites.forget(host.name)
            again = visit.site = await self.sites.find(host.name)
        if again is None:
            return _holding(visit)
        if again.is_online and again.version_ref != site.version_ref:
            with suppress(SnapshotGone):
                return await self._page(visit, again, host, receive)
        return _offline(visit, again)

    async def _page(self, visit: Visit, site: Site, host: Host, receive: Receive) -> Answer:
        is_contact = path_of(visit.raw_path) == CONTACT if visit.raw_path.startswith(b"/_") else False
        if visit.is_read and not is_contact:
            return await self._published.show(visit, site, host)
        if visit.method == "POST" and is_contact:
            return await self._contact_form.answer(visit, site, host, receive)
        visit.route = "not-allowed"
        return own_pages.not_allowed(site.language_code, "POST" if is_contact else "GET, HEAD")

    async def _validation(self, visit: Visit, site: Site) -> Answer:
        visit.route = "validation"
        name = visit.raw_path.removeprefix(VALIDATION)
        content = None
        if _VALIDATION_HASH.fullmatch(name):
            async with self._resources.database.transaction(site.brand_ref) as tx:
                content = await store.read_validation(tx, site.domain_ref, name.decode("ascii"))
        if content is None:
            return answer("not-found", 404, b"There is no such file.\n", "text/plain; charset=utf-8", (NO_STORE,))
        return answer("page", 200, content.encode(), "text/plain; charset=utf-8", (NO_STORE,))


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _holding(visit: Visit) -> Answer:
    visit.route = "holding"
    return own_pages.holding(visit.headers.get(b"accept-language", b""))


def _offline(visit: Visit, site: Site) -> Answer:
    visit.route = "offline"
    return own_pages.offline(site.language_code)
