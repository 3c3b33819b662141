"""`python -m tests.support.font_metrics`: measures the bundled fonts in Chromium, for `kit/site_fonts/fonts.yaml`.

Prints how much wider a text is than in the local font that stands in for it, and the font's ascent and descent.
"""

import asyncio
import base64
import shutil
from typing import Any

from playwright.async_api import async_playwright
from rich import print as show

from sitewright.kit import site_fonts

TEXT = (
    "The quick brown fox jumps over the lazy dog. We open at nine and close when the last guest has gone home,"
    " 1234567890. Ihre Praxis in der Stadt; Nuestra casa es su casa. Good things for small homes, chosen one by one"
    " and wrapped in brown paper."
)
CAPITALS = ("bebas-neue",)
STAND_IN = {"sans": "Liberation Sans", "serif": "Liberation Serif"}
"""They have the widths of Arial and of Times New Roman."""
MEASURE = """([family, weight, text]) => {
  const context = document.createElement('canvas').getContext('2d');
  context.font = `${weight} 1000px "${family}"`;
  const measured = context.measureText(text);
  return [measured.width, measured.fontBoundingBoxAscent / 1000, measured.fontBoundingBoxDescent / 1000];
}"""


async def main() -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = await browser.new_page()
        for key, font in site_fonts.library().items():
            show(key, await _measure(page, key, font))
        await browser.close()


async def _measure(page: Any, key: str, font: site_fonts.Family) -> dict[str, float]:
    body = (site_fonts.FOLDER / site_fonts.manifest()[key]["latin"].file).read_bytes()
    address = "data:font/woff2;base64," + base64.b64encode(body).decode()
    await page.evaluate(
        "([family, url, weight]) => new FontFace(family, `url(${url})`, {weight}).load()"
        ".then(face => document.fonts.add(face))",
        [font.family, address, str(font.weights)],
    )
    text = TEXT.upper() if key in CAPITALS else TEXT
    found: dict[str, float] = {}
    for name, weight in (("normal", 400), ("bold", 700)):
        width, ascent, descent = await page.evaluate(MEASURE, [font.family, weight, text])
        [stand_in, *_] = await page.evaluate(MEASURE, [STAND_IN[font.generic], weight, text])
        found |= {name: round(width / stand_in, 4), "ascent": round(ascent, 3), "descent": round(descent, 3)}
    return found


if __name__ == "__main__":
    asyncio.run(main())
