"""The pictures of the user guide: the editor with the site of a dentist. Part of `make screenshots`."""

import asyncio
import io
import tempfile
from pathlib import Path
from urllib.parse import unquote

import httpx
from PIL import Image
from playwright.async_api import Browser, FilePayload, Page

from sitewright.web.help.guide import PICTURES
from tests.support.chromium import DESKTOP, PHONE, running_chromium
from tests.support.customers import Customer, done, make_customer
from tests.support.own_pages import SERVICE
from tests.support.sample_scenes import room
from tests.support.sample_sites import SAMPLES
from tests.support.service import Service, running_service

TEMPLATE = "practice"
WIDTH, QUALITY = 1000, 62
TOOLS = {"business": "Business", "blocks": "Add", "pages": "Pages", "design": "Design"}
"""The tool whose panel each picture shows."""


async def take_guide(service: Service, browser: Browser) -> None:
    PICTURES.mkdir(exist_ok=True)
    async with service.client() as client:
        customer = await _make_site(service, client)
        for screen, take in ((DESKTOP, _take_desktop), (PHONE, _take_phone)):
            options = screen | {"locale": "en-GB", "color_scheme": "light", "reduced_motion": "reduce"}
            context = await browser.new_context(**options)
            await take(await _open(customer, await context.new_page()))
            await context.close()


async def _make_site(service: Service, client: httpx.AsyncClient) -> Customer:
    listed = (await done(client.get("/v2/templates")))["templates"]
    [template] = [each["ref"] for each in listed if each["directory"] == TEMPLATE]
    package = service.demo["brands"][0]["packages"]["pro"]
    customer = await make_customer(client, 1, "guide.example", package_ref=package, templateRef=template)
    await SAMPLES[TEMPLATE].fill(client, customer.user_ref, customer.site)
    return customer


async def _open(customer: Customer, page: Page) -> Page:
    body = {"siteRef": customer.site["ref"]}
    login = await done(customer.client.post(f"/users/{customer.user_ref}/auto-login", json=body))
    await page.goto(f"{SERVICE}/login?hash={login['hash']}&r=/account/sites/{customer.site['ref']}/edit")
    await page.locator("[data-indicator][data-state=saved]").wait_for(state="attached")
    frame = page.frame_locator("iframe.site-frame")
    await frame.locator("[data-zone-end] button").wait_for(state="attached")
    for picture in await frame.locator("img").all():
        await picture.evaluate("picture => (picture.loading = 'eager', picture.decode())")
    return page


async def _take_desktop(page: Page) -> None:
    await _save(page, "start")
    for name, tool in TOOLS.items():
        await page.get_by_role("toolbar", name="Tools").get_by_role("button", name=tool, exact=True).click()
        await page.locator("[data-panel-body] > *").first.wait_for(state="visible")
        await _save(page, name)
    await page.locator("[data-panel-close]").click()
    text = page.frame_locator("iframe.site-frame").locator("[data-type=content] p").first
    await text.scroll_into_view_if_needed()
    await text.click()
    await _save(page, "texts")
    await page.keyboard.press("Escape")
    await _take_dialogs(page)


async def _take_dialogs(page: Page) -> None:
    await page.get_by_role("button", name="Publish", exact=True).click()
    await page.get_by_role("button", name="Publish now").wait_for(state="visible")
    await _save(page, "publish")
    await page.keyboard.press("Escape")
    await page.get_by_role("toolbar", name="Tools").get_by_role("button", name="Add", exact=True).click()
    await page.locator("[data-panel]").get_by_role("button", name="Picture", exact=True).click()
    svg = unquote(room("#cfe7e3", "#8fb5ad", "#f4fbfa", "#3d8577").partition(",")[2]).encode()
    file = FilePayload(name="waiting-room.svg", mimeType="image/svg+xml", buffer=svg)
    await page.locator("input[type=file]").set_input_files([file])
    await page.get_by_label("What does it show?").fill("Our waiting room")
    await page.locator(".focal-area img").evaluate("picture => picture.decode()")
    await _save(page, "pictures")


async def _take_phone(page: Page) -> None:
    await _save(page, "phone")


async def _save(page: Page, name: str) -> None:
    await page.evaluate("document.fonts.ready")
    picture = Image.open(io.BytesIO(await page.screenshot(scale="css"))).convert("RGB")
    if picture.width > WIDTH:
        picture = picture.resize((WIDTH, round(picture.height * WIDTH / picture.width)), Image.Resampling.LANCZOS)
    picture.save(PICTURES / f"{name}.webp", quality=QUALITY, method=6)


async def take_alone() -> None:
    """Only these pictures: `python -m tests.support.guide_pictures`."""
    with tempfile.TemporaryDirectory(prefix="sitewright-guide-") as data:
        started = running_service(Path(data) / "data", public_url=SERVICE)
        async with started as service, running_chromium(service) as browser:
            await take_guide(service, browser)


if __name__ == "__main__":
    asyncio.run(take_alone())
