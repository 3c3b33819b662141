"""Hostile content on the service's other pages: workspace, previews, pictures, and what pages repeat of a request."""

from urllib.parse import quote

import httpx
import pytest
from playwright.async_api import Page

from tests.browser.hostile_content.detector import Detector, expect_safe_page, touch
from tests.browser.hostile_content.planting import Planted
from tests.browser.window import Window
from tests.support.customers import done
from tests.support.own_pages import SERVICE, log_in, log_in_to_console, own_pages
from tests.support.service import Service

pytestmark = pytest.mark.system
REPEATED = (
    "/docs/search?q={}", "/problems/{}", "/no/such/{}", "/login?r={}&brandRef=1", "/login?hash={}", "/docs/api/{}",
    "/account/sites/{}", "/account?done={}", "/preview/{}", "/reset-password?h={}", "/template-picker/?siteRef={}",
    "/console/log-in?r={}", "/console/invitation?h={}", "/console/staff?done={}",
    "/console/overview?from={}",
)  # fmt: skip


async def test_nothing_runs_in_the_workspace(service: Service, holder: Window, planted: Planted) -> None:
    page, detector = holder.page, await Detector.watching(holder.page.context)
    await log_in(page, planted.customer)
    await log_in_to_console(page, service)
    for each in own_pages(planted.customer, planted.message):
        if each.needs_login:
            await page.goto(each.address)
            await touch_all(page)
            await expect_safe_page(page)
            detector.expect_nothing(page)
    await page.goto(f"{SERVICE}/account/sites/{planted.customer.site['ref']}/home")
    await touch(page, clicks=True)
    detector.expect_nothing(page)


async def touch_all(page: Page) -> None:
    """The page and the previews in its frames."""
    for frame in page.frames:
        await touch(frame)


async def test_nothing_runs_behind_a_preview_link(client: httpx.AsyncClient, holder: Window, planted: Planted) -> None:
    created = (await done(client.post(f"{planted.customer.path}/preview-links", json={})))["previewLink"]
    page, detector = holder.page, await Detector.watching(holder.page.context)
    for path in ("", "/texts", "/p1"):
        await page.goto(created["url"] + path)
        await touch(page)
        expect_only_pictures(detector)
    for picture in planted.pictures:
        await page.goto(picture if picture.startswith("http") else SERVICE + picture)
    expect_only_pictures(detector)


def expect_only_pictures(detector: Detector) -> None:
    """The preview is a page of the site, which may show pictures of other hosts."""
    others = [each.url for each in detector.loaded if not each.url.startswith((f"{SERVICE}/", "data:"))]
    kinds = {each.resource_type for each in detector.loaded if each.url in others}
    assert (detector.found, detector.canaries, kinds <= {"image"}) == ([], [], True), (kinds, others[:3])


async def test_pages_repeat_nothing_that_runs(holder: Window, planted: Planted) -> None:
    page, detector = holder.page, await Detector.watching(holder.page.context)
    await log_in(page, planted.customer)
    texts = [planted.vectors.urls[0], "".join(planted.vectors.html[-63:-40:5])]
    for number, path in enumerate(REPEATED):
        await page.goto(SERVICE + path.format(quote(texts[number % 2], safe="")))
        await touch(page)
        await expect_safe_page(page)
    detector.expect_nothing(page)
