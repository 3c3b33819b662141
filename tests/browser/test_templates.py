"""The built-in templates hold with much and with little content, and nothing moves while they load."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest
from playwright.async_api import Browser, Page

from sitewright.sites.publishing.designs import builtin_design
from tests.sites.publishing.test_templates import TEMPLATES
from tests.support.demanding_sites import BARE, full_site, menu_site
from tests.support.depth import DEEP
from tests.support.rendered_sites import RenderedSite
from tests.support.sample_parts import Sample
from tests.support.timeouts import HANG_SECONDS

pytestmark = pytest.mark.system
WIDTHS = (1440, 768, 320)
CONTENT = {"many": full_site(30, 50), "bare": BARE} | ({"few": full_site(1, 3)} if DEEP else {})
OVERLAPPING = """() => {
  const lines = [];
  for (const each of document.querySelectorAll('h1,h2,h3,p,li,td,th,label,figcaption,.button,.brand,summary')) {
    if (!each.checkVisibility({visibilityProperty: true}) || each.closest('.unseen,.skip,.honeypot')) continue;
    for (const node of each.childNodes) {
      if (node.nodeType !== 3 || !node.data.trim()) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const box of range.getClientRects()) lines.push([node, box]);
    }
  }
  const found = [];
  for (const [index, [node, box]] of lines.entries())
    for (const [other, beside] of lines.slice(index + 1)) {
      const width = Math.min(box.right, beside.right) - Math.max(box.left, beside.left);
      const height = Math.min(box.bottom, beside.bottom) - Math.max(box.top, beside.top);
      if (other !== node && width > 3 && height > Math.min(box.height, beside.height) / 2)
        found.push(`${node.data.trim().slice(0, 40)} / ${other.data.trim().slice(0, 40)}`);
    }
  return found;
}"""
SHIFT = """new Promise(done => {
  let sum = 0;
  new PerformanceObserver(list => { for (const each of list.getEntries()) sum += each.value; })
    .observe({type: 'layout-shift', buffered: true});
  document.fonts.ready.then(() => requestAnimationFrame(() => setTimeout(() => done(sum), 100)));
})"""


def font_sets() -> Iterator[tuple[str, int, int]]:
    """Every template with its first set of fonts, or with each of them, in turn on a desktop and on a phone."""
    for name in TEMPLATES:
        fonts = builtin_design(name).info.fonts
        for number, swatch in enumerate(fonts if DEEP else fonts[:1]):
            yield name, swatch.ref, (1440, 390)[(number + TEMPLATES.index(name)) % 2]


@pytest.fixture
async def page(chromium: Browser) -> AsyncIterator[Page]:
    context = await chromium.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    context.set_default_timeout(HANG_SECONDS * 1000)
    yield await context.new_page()
    await context.close()


@pytest.mark.parametrize("sample", CONTENT.values(), ids=CONTENT)
@pytest.mark.parametrize("template", TEMPLATES)
async def test_a_template_holds(page: Page, template: str, sample: Sample) -> None:
    await RenderedSite.of(template, sample=sample).open(page)
    found = {}
    for width in WIDTHS:
        await page.set_viewport_size({"width": width, "height": 900})
        found[width] = (await page.evaluate("document.documentElement.scrollWidth"), await page.evaluate(OVERLAPPING))
    assert found == {width: (width, []) for width in WIDTHS}


@pytest.mark.parametrize("template", TEMPLATES)
async def test_twelve_entries_of_the_menu_are_in_line(page: Page, template: str) -> None:
    await RenderedSite.of(template, sample=menu_site(12)).open(page)
    tops = await page.evaluate(
        "[...document.querySelectorAll('.menu-list a')].map(each => each.getClientRects()[0].top)"
    )
    assert (len(tops), len(set(tops))) == (12, 1)
    assert await page.evaluate(OVERLAPPING) == []
    assert await page.evaluate("document.documentElement.scrollWidth") == 1440


@pytest.mark.parametrize(("template", "fonts", "width"), list(font_sets()))
async def test_nothing_moves_when_fonts_arrive_late(page: Page, template: str, fonts: int, width: int) -> None:
    arrive = asyncio.Event()
    await page.set_viewport_size({"width": width, "height": 900})
    await RenderedSite.of(template, fonts=fonts).open(page, fonts_after=arrive)
    await page.locator("footer").last.wait_for()
    await page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    arrive.set()
    assert await page.evaluate(SHIFT) == 0
