"""`POST /_site/contact`: the contact form of a site, as browsers send it."""

import asyncio
from urllib.parse import quote

from sitewright.edge import contact, own_pages
from sitewright.edge.answer import Answer, redirect
from sitewright.edge.files import Files
from sitewright.edge.store import Site
from sitewright.edge.visit import Host, Reception, Visit
from sitewright.kit.http.asgi import Receive
from sitewright.kit.http.incoming import BodyCutOff, read_body
from sitewright.kit.http.limits import body_pace
from sitewright.kit.problems import RequestTooSlow, TooLarge
from sitewright.kit.resources import Resources

PATH = "_site/contact"
OWN_PATHS = (":", "_site/")
SENT, PLACE = "?sent=1#sent", "#contact"  # where the templates have their thanks, and their form
AT_ONCE = 4  # so that a flood of messages leaves connections for those who read


class ContactForm:
    def __init__(self, resources: Resources, files: Files, reception: Reception) -> None:
        self._resources = resources
        self._files = files
        self._reception = reception
        self._pace = body_pace(resources.settings)
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def answer(self, visit: Visit, site: Site, host: Host, receive: Receive) -> Answer:
        visit.route = "contact"
        paths = await self._files.paths(site)
        words = own_pages.words_for(site.language_code)
        try:
            body = await read_body(receive, contact.MAX_FORM, self._pace)
        except TooLarge:
            return own_pages.not_sent(413, site.language_code, words("form_too_large"), "/")
        except (BodyCutOff, RequestTooSlow) as problem:
            return own_pages.not_sent(problem.status, site.language_code, words("form_wrong"), "/")
        form = contact.read_form(body, visit.headers.get(b"content-type", b""))
        if form is None:
            return own_pages.not_sent(400, site.language_code, words("form_wrong"), "/")
        return await self._take(visit, site, host, form, _place_of(form, paths))

    async def _take(self, visit: Visit, site: Site, host: Host, form: dict[str, str], page: str) -> Answer:
        message = contact.message_of(form)
        words = own_pages.words_for(site.language_code)
        if message is not None and message.faults:
            said = " ".join(words(fault) for fault in message.faults)
            return own_pages.not_sent(400, site.language_code, said, page + PLACE)
        if message is not None:
            try:
                async with self._turns:
                    address = self._reception.address_of(visit)
                    await contact.take(self._resources, site, host.name, message, address)
            except contact.TooManyMessages as refused:
                said = words(refused.text, wait=words.wait(refused.seconds))
                return own_pages.not_sent(429, site.language_code, said, page + PLACE, refused.seconds)
        return redirect(303, page + SENT)


def _place_of(form: dict[str, str], paths: frozenset[str]) -> str:
    """The page that the form says it stands on, if the site has it: nobody is led anywhere else."""
    path = contact.page_of(form)
    is_page = path in paths and not path.startswith(OWN_PATHS)
    return f"/{quote(path, safe='/~')}" if is_page else "/"
