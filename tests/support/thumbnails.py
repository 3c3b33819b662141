"""`make thumbnails`: photographs the sample site of each built-in template, for the picker and `GET /templates`."""

import asyncio
import io
import shutil
from pathlib import Path

from PIL import Image
from playwright.async_api import Browser, async_playwright
from rich.progress import track

from sitewright.sites.publishing.designs import NEUTRAL
from tests.support.rendered_sites import RenderedSite
from tests.support.sample_sites import SAMPLES

FOLDER = Path("src/sitewright/demo/thumbnails")
SCREEN = {"width": 1280, "height": 960}
SIZE = (640, 480)
QUALITY = 78


async def take_all(folder: Path) -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for directory in track([*SAMPLES, NEUTRAL], "Taking thumbnails"):
            (folder / f"{directory}.webp").write_bytes(await take(browser, directory))
        await browser.close()


async def take(browser: Browser, directory: str) -> bytes:
    context = await browser.new_context(viewport=SCREEN, reduced_motion="reduce")  # type: ignore[arg-type]
    page = await context.new_page()
    await RenderedSite.of(directory).open(page)
    photograph = Image.open(io.BytesIO(await page.screenshot()))
    await context.close()
    file = io.BytesIO()
    photograph.convert("RGB").resize(SIZE, Image.Resampling.LANCZOS).save(file, "WEBP", quality=QUALITY, method=6)
    return file.getvalue()


if __name__ == "__main__":
    asyncio.run(take_all(FOLDER))
