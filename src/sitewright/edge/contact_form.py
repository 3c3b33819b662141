"""`POST /_site/contact`: the contact form of a site."""

import asyncio
from urllib.parse import quote

from sitewright.edge import builtin_pages, contact
from sitewright.edge.brand_looks import BrandLooks
from sitewright.edge.file_cache import FileCache
from sitewright.edge.filled_form import CONTACT_FORM, NEWSLETTER_FORM, fill_in
from sitewright.edge.request import Host, RequestReader, SiteRequest
from sitewright.edge.response import NO_STORE, Response, page_response, redirect
from sitewright.edge.store import Site
from sitewright.kit.http.asgi import Receive
from sitewright.kit.http.body_stream import BodyCutOff
from sitewright.kit.http.limits import body_pace
from sitewright.kit.http.request_reader import read_body
from sitewright.kit.problems import RequestTooSlow, TooLarge
from sitewright.kit.resources import Resources

PATH = "_site/contact"
HTML = "text/html; charset=utf-8"
OWN_PATHS = (":", "_site/")
SENT_SUFFIX, FORM_ANCHOR = "?sent=1#sent", "#contact"  # of the thank-you message and the form in the templates
SUBSCRIBED_SUFFIX, NEWSLETTER_ANCHOR = "?sent=1#newsletter-sent", "#newsletter-form"
MAX_CONCURRENT = 4  # so that a flood of messages leaves database connections for reading pages


class ContactForm:
    """Reads and validates a submitted form, stores its message for the site's owner, and redirects back to the page."""

    def __init__(
        self, resources: Resources, files: FileCache, request_reader: RequestReader, looks: BrandLooks
    ) -> None:
        self._resources = resources
        self._files = files
        self._request_reader = request_reader
        self._looks = looks
        self._pace = body_pace(resources.settings)
        self._semaphore = asyncio.Semaphore(MAX_CONCURRENT)

    async def handle(self, request: SiteRequest, site: Site, host: Host, receive: Receive) -> Response:
        request.route = "contact"
        paths = await self._files.paths(site)
        try:
            body = await read_body(receive, contact.MAX_FORM, self._pace)
        except TooLarge:
            return await self._not_sent(site, 413, "form_too_large")
        except (BodyCutOff, RequestTooSlow) as problem:
            return await self._not_sent(site, problem.status, "form_wrong")
        form = contact.read_form(body, request.headers.get(b"content-type", b""))
        if form is None:
            return await self._not_sent(site, 400, "form_wrong")
        return await self._accept(request, site, host, form, _page_path(form, paths))

    async def _accept(self, request: SiteRequest, site: Site, host: Host, form: dict[str, str], path: str) -> Response:
        texts = builtin_pages.texts_for(site.language_code)
        is_newsletter = contact.is_newsletter(form)
        written = contact.as_newsletter_sign_up(form, texts("newsletter_message")) if is_newsletter else form
        message = contact.message_of(written)  # None for spam, which is dropped with the response of a sent message
        if message is not None and message.errors:
            errors = {field: texts(error) for field, error in message.errors.items()}
            return await self._show_form(site, path, 400, form, errors, " ".join(errors.values()))
        if message is not None:
            try:
                async with self._semaphore:
                    address = self._request_reader.address_of(request)
                    await contact.accept_message(self._resources, site, host.name, message, address)
            except contact.TooManyMessages as error:
                reason = texts(error.text, wait=texts.wait(error.seconds))
                return await self._show_form(site, path, 429, form, {}, reason, error.seconds)
        return redirect(303, _url_of(path) + (SUBSCRIBED_SUFFIX if is_newsletter else SENT_SUFFIX))

    async def _not_sent(self, site: Site, status: int, text: str) -> Response:
        look = await self._looks.of_brand(site.brand_ref)
        reason = builtin_pages.texts_for(site.language_code)(text)
        return builtin_pages.not_sent(status, site.language_code, reason, "/", look)

    async def _show_form(
        self,
        site: Site,
        path: str,
        status: int,
        form: dict[str, str],
        errors: dict[str, str],
        reason: str,
        retry_after: int | None = None,
    ) -> Response:
        """Show the page again with what was typed; or a page with a link back, where it has no form that we know."""
        texts = builtin_pages.texts_for(site.language_code)
        page = await self._files.find(site, path, gzipped=False)
        if page is not None and not page.decompress:
            summary = texts("not_sent_title") + ("." if errors else f". {reason}")
            shape = NEWSLETTER_FORM if contact.is_newsletter(form) else CONTACT_FORM
            filled = fill_in(bytes(page.body).decode("utf-8", "replace"), form, errors, summary, shape)
            if filled is not None:
                headers = (*builtin_pages.retry_headers(retry_after), NO_STORE)
                return page_response("page", status, filled.encode(), HTML, headers)
        look, back = await self._looks.of_brand(site.brand_ref), _url_of(path) + _anchor_of(form)
        return builtin_pages.not_sent(status, site.language_code, reason, back, look, retry_after)


def _page_path(form: dict[str, str], paths: frozenset[str]) -> str:
    """Return the path of the page that has the form, or the home page: only pages of the site are allowed."""
    path = contact.page_of(form)
    return path if path in paths and not path.startswith(OWN_PATHS) else ""


def _anchor_of(form: dict[str, str]) -> str:
    return NEWSLETTER_ANCHOR if contact.is_newsletter(form) else FORM_ANCHOR


def _url_of(path: str) -> str:
    return f"/{quote(path, safe='/~')}"
