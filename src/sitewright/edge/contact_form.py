"""`POST /_site/contact`: the contact form of a site."""

import asyncio
from urllib.parse import quote

from sitewright.edge import builtin_pages, contact
from sitewright.edge.file_cache import FileCache
from sitewright.edge.request import Host, RequestReader, SiteRequest
from sitewright.edge.response import Response, redirect
from sitewright.edge.store import Site
from sitewright.kit.http.asgi import Receive
from sitewright.kit.http.body_stream import BodyCutOff
from sitewright.kit.http.limits import body_pace
from sitewright.kit.http.request_reader import read_body
from sitewright.kit.problems import RequestTooSlow, TooLarge
from sitewright.kit.resources import Resources

PATH = "_site/contact"
OWN_PATHS = (":", "_site/")
SENT_SUFFIX, FORM_ANCHOR = "?sent=1#sent", "#contact"  # of the thank-you message and the form in the templates
MAX_CONCURRENT = 4  # so that a flood of messages leaves database connections for reading pages


class ContactForm:
    """Reads and validates a submitted form, stores its message for the site's owner, and redirects back to the page."""

    def __init__(self, resources: Resources, files: FileCache, request_reader: RequestReader) -> None:
        self._resources = resources
        self._files = files
        self._request_reader = request_reader
        self._pace = body_pace(resources.settings)
        self._semaphore = asyncio.Semaphore(MAX_CONCURRENT)

    async def handle(self, request: SiteRequest, site: Site, host: Host, receive: Receive) -> Response:
        request.route = "contact"
        paths = await self._files.paths(site)
        texts = builtin_pages.texts_for(site.language_code)
        try:
            body = await read_body(receive, contact.MAX_FORM, self._pace)
        except TooLarge:
            return builtin_pages.not_sent(413, site.language_code, texts("form_too_large"), "/")
        except (BodyCutOff, RequestTooSlow) as problem:
            return builtin_pages.not_sent(problem.status, site.language_code, texts("form_wrong"), "/")
        form = contact.read_form(body, request.headers.get(b"content-type", b""))
        if form is None:
            return builtin_pages.not_sent(400, site.language_code, texts("form_wrong"), "/")
        return await self._accept(request, site, host, form, _page_path(form, paths))

    async def _accept(self, request: SiteRequest, site: Site, host: Host, form: dict[str, str], page: str) -> Response:
        message = contact.message_of(form)  # None for spam, which is dropped with the response of a sent message
        texts = builtin_pages.texts_for(site.language_code)
        if message is not None and message.errors:
            reason = " ".join(texts(error) for error in message.errors)
            return builtin_pages.not_sent(400, site.language_code, reason, page + FORM_ANCHOR)
        if message is not None:
            try:
                async with self._semaphore:
                    address = self._request_reader.address_of(request)
                    await contact.accept_message(self._resources, site, host.name, message, address)
            except contact.TooManyMessages as error:
                reason = texts(error.text, wait=texts.wait(error.seconds))
                return builtin_pages.not_sent(429, site.language_code, reason, page + FORM_ANCHOR, error.seconds)
        return redirect(303, page + SENT_SUFFIX)


def _page_path(form: dict[str, str], paths: frozenset[str]) -> str:
    """Return the path of the page that has the form, or the home page: only pages of the site are allowed."""
    path = contact.page_of(form)
    is_page = path in paths and not path.startswith(OWN_PATHS)
    return f"/{quote(path, safe='/~')}" if is_page else "/"
