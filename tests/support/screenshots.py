"""`make screenshots`: creates and publishes the sample sites with the real service, and photographs them as desktop and
phone."""

import asyncio
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import httpx
from playwright.async_api import Browser
from rich.progress import track

from tests.support.chromium import DESKTOP, PHONE, running_chromium
from tests.support.customers import done, make_customer
from tests.support.sample_sites import SAMPLES, Sample
from tests.support.service import Service, running_service

FOLDER = Path("docs/images")
SIZES = {"desktop": DESKTOP | {"viewport": {"width": 1280, "height": 1200}}, "phone": PHONE}


async def take_all(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="sitewright-screenshots-") as data:
        async with running_service(Path(data) / "data") as service, running_chromium(service) as browser:
            hosts = await publish_samples(service)
            for directory, host in track(hosts.items(), "Taking screenshots"):
                for screen in SIZES:
                    await take(browser, f"http://{host}/", screen, folder / f"{directory}-{screen}.png")


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
    command = ["pngquant", "--quality", "60-95", "--speed", "1", "--strip", "--force", "--ext", ".png"]
    subprocess.run([*command, *folder.glob("*.png")], check=True)


if __name__ == "__main__":
    asyncio.run(take_all(FOLDER))
    shrink(FOLDER)
