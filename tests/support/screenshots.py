"""`make screenshots`: photographs every page of the service, and sample sites in each template, desktop and phone."""

import asyncio
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Literal

import httpx
from playwright.async_api import Browser
from rich.progress import track

from tests.support.chromium import DESKTOP, PHONE, running_chromium
from tests.support.console_pictures import take_console
from tests.support.customers import done, make_customer
from tests.support.guide_pictures import take_guide
from tests.support.own_pages import (
    SERVICE,
    add_message,
    log_in,
    log_in_to_console,
    make_holder,
    offer_deletion,
    own_pages,
)
from tests.support.sample_pages import route_samples
from tests.support.sample_sites import SAMPLES, Sample
from tests.support.service import Service, running_service

FOLDER = Path("docs/images")
SCHEMES: dict[str, Literal["light", "dark"]] = {"desktop": "light", "phone": "dark"}
SIZES = {"desktop": DESKTOP | {"viewport": {"width": 1280, "height": 1200}}, "phone": PHONE}


async def take_all(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="sitewright-screenshots-") as data:
        started = running_service(Path(data) / "data", public_url=SERVICE, demo_history=True)
        async with started as service, running_chromium(service) as browser:
            await take_own_pages(service, browser, folder)
            await take_console(service, browser, folder, SIZES)
            await take_guide(service, browser)
            hosts = await publish_samples(service)
            for directory, host in track(hosts.items(), "Taking screenshots"):
                for screen in SIZES:
                    await take(browser, f"http://{host}/", screen, folder / f"{directory}-{screen}.png")


async def take_own_pages(service: Service, browser: Browser, folder: Path) -> None:
    """Light on a desktop, dark on a phone."""
    async with service.client() as client:
        customer = await make_holder(client, "penny-and-pear.example")
        message_ref = await add_message(service, customer.site["ref"])
        await offer_deletion(service)
        for screen, scheme in SCHEMES.items():
            options = SIZES[screen] | {"reduced_motion": "reduce", "color_scheme": scheme, "locale": "en-GB"}
            context = await browser.new_context(**options)
            await route_samples(context)
            page = await context.new_page()
            await log_in(page, customer)
            await log_in_to_console(page, service)
            for own in track(own_pages(customer, message_ref), f"Taking screenshots of pages, {screen}"):
                await page.goto(own.address)
                for frame in page.frames[1:]:  # thumbnails and previews
                    await frame.locator("body").bounding_box()
                await page.screenshot(path=folder / f"page-{own.name}-{screen}.png")
            await context.close()


async def publish_samples(service: Service) -> dict[str, str]:
    """The host of each sample, by its template's directory."""
    brand = service.demo["brands"][0]
    async with service.client() as client:
        templates = {each["directory"]: each["ref"] for each in (await done(client.get("/v2/templates")))["templates"]}
        return {
            sample.directory: await _publish(client, sample, templates[sample.directory], brand)
            for sample in track(list(SAMPLES.values()), "Publishing samples")
        }


async def _publish(client: httpx.AsyncClient, sample: Sample, template_ref: int, brand: dict[str, Any]) -> str:
    domain, pro = f"{sample.directory}.example", brand["packages"]["pro"]
    customer = await make_customer(client, brand["brandRef"], domain, package_ref=pro, templateRef=template_ref)
    await sample.fill(client, customer.user_ref, customer.site)
    await customer.publish()
    return customer.host


async def take(browser: Browser, url: str, screen: str, path: Path) -> None:
    """The upper part of the page."""
    context = await browser.new_context(**SIZES[screen], reduced_motion="reduce")
    page = await context.new_page()
    await page.goto(url)
    for picture in await page.locator("img").all():
        await picture.evaluate("picture => (picture.loading = 'eager', picture.decode())")
    await page.screenshot(path=path)
    await context.close()


def shrink(folder: Path) -> None:
    """Reduce the file to a quarter of its size, without visible loss."""
    command = ["pngquant", "--nofs", "--quality", "50-90", "--speed", "1", "--strip", "--force", "--ext", ".png"]
    subprocess.run([*command, *folder.glob("*.png")], check=True)


if __name__ == "__main__":
    asyncio.run(take_all(FOLDER))
    shrink(FOLDER)
