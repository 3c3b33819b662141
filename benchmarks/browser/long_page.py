"""A site whose home page has 200 widgets of many types, in the editor of its account holder."""

import msgspec
from playwright.async_api import BrowserContext

from benchmarks.browser.photos import with_photos
from benchmarks.service import Service
from tests.support.chromium import SECURE_HOST
from tests.support.customers import Customer, done, make_customer
from tests.support.http_clients import http_client
from tests.support.sample_parts import Sample, SamplePage, SampleWidget, button, columns, heading, image, text
from tests.support.sample_widgets import CUP, HOURS, ICONS, PRICE_CARDS, QUESTIONS, SAMPLE, TEAM, TESTIMONIALS

WIDGETS = 200
BRAND = 1
HOST = f"http://{SECURE_HOST}"
WORDS = (
    "<p>The building was a <b>saddler's</b> for eighty years. We kept the counter, the lamp over the door and the habit"
    " of knowing everyone's name.</p><p>Bring a book, a child or a laptop. There is <a href='/visit'>a shelf of games"
    "</a> and a basket of blankets.</p>"
)
GROUP = [
    heading("A room with a kettle on"),
    text(WORDS),
    image(CUP, "A cup", "The window seat"),
    button("How it began", "visit"),
    columns([heading("Hours", 3), HOURS], [text(WORDS), button("Ask us", "visit", "secondary")]),
    QUESTIONS,
    PRICE_CARDS,
    heading("Why people come back"),
    ICONS,
    TESTIMONIALS,
    text(WORDS),
    TEAM,
]


class LongPage(msgspec.Struct, frozen=True):
    service: Service
    customer: Customer

    @property
    def address(self) -> str:
        return f"{HOST}/account/sites/{self.customer.site['ref']}/edit"

    async def log_in(self, context: BrowserContext) -> None:
        """Without a page, so that the browser has nothing in its cache."""
        body = {"siteRef": self.customer.site["ref"]}
        link = await done(self.customer.client.post(f"/users/{self.customer.user_ref}/auto-login", json=body))
        async with http_client(self.service.url, follow_redirects=False) as visitor:
            response = await visitor.get("/login", params={"hash": link["hash"], "r": "/account"})
        await context.add_cookies(
            [{"name": name, "value": value, "url": HOST} for name, value in response.cookies.items()]
        )


async def make_long_page(service: Service) -> LongPage:
    client = http_client(service.url, auth=service.password_of(BRAND))
    pro = service.brand(BRAND)["packages"]["pro"]
    customer = await make_customer(client, BRAND, "long-page.example", package_ref=pro)
    site = Sample(directory="", profile=SAMPLE.profile, pages=[SamplePage("home", "Home", _widgets())])
    filled = await with_photos(service, customer, site)
    await filled.fill(client, customer.user_ref, customer.site)
    return LongPage(service, customer)


def _widgets() -> list[SampleWidget]:
    """The group again and again; headings fill up what is left."""
    groups, left = divmod(WIDGETS, sum(map(_count, GROUP)))
    return GROUP * groups + [heading(f"Heading {number}") for number in range(left)]


def _count(widget: SampleWidget) -> int:
    return 1 + sum(_count(inside) for column in widget.columns for inside in column)
