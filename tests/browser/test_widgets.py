"""Every widget in every template and set of colors: accessible, without horizontal scrolling, and without requests to
other hosts before a click."""

import gzip
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree

import msgspec
import pytest
from playwright.async_api import Browser, Page, Route, expect

from sitewright.sites.publishing.designs import builtin_design
from sitewright.sites.publishing.render_input import DesignChoice, RenderInput
from sitewright.sites.publishing.rendering import Rendering
from tests.sites.publishing.pages import input_with, page_with
from tests.sites.publishing.test_templates import TEMPLATES
from tests.support.sample_parts import gallery, heading
from tests.support.sample_widgets import MAP, NEWS, SAMPLE, SLIDES, VIDEO
from tests.support.timeouts import HANG_SECONDS

pytestmark = pytest.mark.system
AXE = Path("node_modules/axe-core/axe.min.js")
HOST = "site.test"
ATOM = "{http://www.w3.org/2005/Atom}"
TOUCH_TARGET = 44
WIDTHS = (320, 1440)
DRAWING = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><rect width="40" height="30"/></svg>'
GALLERY = gallery(2, ("/one.svg", "One", "First"), ("/two.svg", "Two", ""))


class Shown(msgspec.Struct, frozen=True):
    """An opened page, and the addresses of other hosts that it asked for."""

    page: Page
    foreign: list[str]


@asynccontextmanager
async def shown(chromium: Browser, render_input: RenderInput, width: int, **options: Any) -> AsyncIterator[Shown]:
    """The home page of a rendered site. Requests to other hosts get an empty page."""
    design = builtin_design(render_input.design.directory)
    files = {file.path: file for file in Rendering(render_input, design).files()}
    foreign: list[str] = []

    async def respond(route: Route) -> None:
        url = urlsplit(route.request.url)
        file = files.get(url.path.lstrip("/"))
        if url.netloc != HOST:
            foreign.append(route.request.url)
            await route.fulfill(body="<p>Another host</p>", content_type="text/html")
        elif file is not None:
            await route.fulfill(body=gzip.decompress(file.body), content_type=file.content_type)
        elif url.path.endswith(".svg"):
            await route.fulfill(body=DRAWING, content_type="image/svg+xml")
        else:
            await route.fulfill(status=404, body="")

    size: Any = {"width": width, "height": 900}
    context = await chromium.new_context(viewport=size, reduced_motion="reduce", **options)
    context.set_default_timeout(HANG_SECONDS * 1000)
    await context.route("**/*", respond)
    page = await context.new_page()
    await page.goto(f"http://{HOST}/")
    yield Shown(page, foreign)
    await context.close()


async def findings(page: Page, rules: str = "") -> list[str]:
    options = f"{{resultTypes: ['violations'], iframes: false{rules}}}"
    result: dict[str, Any] = await page.evaluate(f"axe.run(document, {options})")
    return [f"{each['id']}: {node['html'][:200]}" for each in result["violations"] for node in each["nodes"]]


@pytest.mark.parametrize("template", TEMPLATES)
async def test_every_widget_is_accessible_in_every_set_of_colors(chromium: Browser, template: str) -> None:
    async with shown(chromium, SAMPLE.render_input(DesignChoice(directory=template)), WIDTHS[0]) as site:
        await site.page.evaluate(AXE.read_text(encoding="utf-8"))
        found, shown_widths = {}, []
        for width in WIDTHS:
            await site.page.set_viewport_size({"width": width, "height": 900})
            found[width] = await findings(site.page)
            shown_widths.append(await site.page.evaluate("document.documentElement.scrollWidth"))
        for swatch in builtin_design(template).info.colours:
            await site.page.evaluate("ref => { document.documentElement.dataset.colours = ref }", str(swatch.ref))
            found[swatch.ref] = await findings(site.page, ", runOnly: ['color-contrast']")
        assert {name: each for name, each in found.items() if each} == {}
        assert shown_widths == list(WIDTHS)
        assert site.foreign == []


@pytest.mark.parametrize("template", TEMPLATES)
async def test_pages_from_right_to_left_fit(chromium: Browser, template: str) -> None:
    render_input = SAMPLE.render_input(DesignChoice(directory=template))
    async with shown(chromium, msgspec.structs.replace(render_input, language="ar"), 320) as site:
        assert await site.page.evaluate("document.documentElement.scrollWidth") == 320
        assert await site.page.evaluate("document.documentElement.dir") == "rtl"


async def test_a_video_is_loaded_by_a_click_only(chromium: Browser) -> None:
    async with shown(chromium, input_with(page_with(heading("A"), VIDEO)), 800) as site:
        assert site.foreign == []
        await site.page.get_by_role("link", name="Play the video").click()
        frame = site.page.locator("iframe")
        await expect(frame).to_have_attribute("title", "A walk through the bakery")
        await frame.content_frame.get_by_text("Another host").wait_for()
        assert {urlsplit(url).netloc for url in site.foreign} == {"www.youtube-nocookie.com"}
        assert await site.page.context.cookies() == []


async def test_a_map_is_loaded_by_a_click_only(chromium: Browser) -> None:
    async with shown(chromium, input_with(page_with(heading("A"), MAP)), 800) as site:
        await site.page.wait_for_load_state("networkidle")
        assert site.foreign == []
        await site.page.get_by_role("link", name="Show on a map").click()
        await site.page.locator("iframe").content_frame.get_by_text("Another host").wait_for()
        assert {urlsplit(url).netloc for url in site.foreign} == {"www.openstreetmap.org"}
        assert await site.page.context.cookies() == []


async def test_videos_and_maps_are_loaded_by_touch_on_a_phone(chromium: Browser) -> None:
    content = page_with(heading("A"), VIDEO, MAP)
    async with shown(chromium, input_with(content), 390, has_touch=True, is_mobile=True) as site:
        await site.page.wait_for_load_state("networkidle")
        assert site.foreign == []
        await site.page.get_by_role("link", name="Play the video").tap()
        await site.page.locator("iframe").content_frame.get_by_text("Another host").wait_for()
        await site.page.get_by_role("link", name="Show on a map").tap()
        await site.page.locator("iframe").nth(1).content_frame.get_by_text("Another host").wait_for()
        hosts = {"www.youtube-nocookie.com", "www.openstreetmap.org"}
        assert {urlsplit(url).netloc for url in site.foreign} == hosts


async def test_the_lightbox_is_used_by_touch_on_a_phone(chromium: Browser) -> None:
    content = page_with(heading("A"), GALLERY)
    async with shown(chromium, input_with(content), 390, has_touch=True, is_mobile=True) as site:
        await site.page.get_by_role("link", name="One").tap()
        dialog = site.page.get_by_role("dialog", name="Pictures")
        await expect(dialog.get_by_role("img", name="One")).to_be_visible()
        await dialog.get_by_role("button", name="Next").tap()
        await expect(dialog.get_by_role("img", name="Two")).to_be_visible()
        for each in await dialog.get_by_role("button").all():
            box = await each.bounding_box()
            assert box is not None
            assert min(box["width"], box["height"]) >= TOUCH_TARGET
        assert await site.page.evaluate("document.documentElement.scrollWidth") == 390
        await dialog.get_by_role("button", name="Close").tap()
        await expect(dialog).to_have_count(0)


@pytest.mark.parametrize("template", ["coffee-house", "horizon"])
async def test_news_and_their_feed_in_two_templates(chromium: Browser, template: str) -> None:
    render_input = input_with(page_with(heading("A"), NEWS), design=DesignChoice(directory=template))
    async with shown(chromium, render_input, 800) as site:
        posts = site.page.get_by_role("article")
        await expect(posts).to_have_count(2)
        await expect(posts.first.get_by_role("heading", name="Open on Sundays")).to_be_visible()
        feed = await site.page.locator("link[type='application/atom+xml']").get_attribute("href")
        text = await site.page.evaluate("async url => (await fetch(url)).text()", feed)
        root = ElementTree.fromstring(text)  # noqa: S314 - our own
        entries = root.findall(f"{ATOM}entry")
        assert [each.findtext(f"{ATOM}title") for each in entries] == ["Open on Sundays", "We roast on Tuesdays"]
        link = entries[0].find(f"{ATOM}link")
        assert link is not None
        anchor = link.get("href", "").partition("#")[2]
        await expect(site.page.locator(f"article[id='{anchor}']")).to_contain_text("Open on Sundays")


async def test_pictures_of_a_gallery_open_in_a_lightbox(chromium: Browser) -> None:
    async with shown(chromium, input_with(page_with(heading("A"), GALLERY)), 800) as site:
        await site.page.get_by_role("link", name="One").click()
        dialog = site.page.get_by_role("dialog", name="Pictures")
        await expect(dialog.get_by_role("img", name="One")).to_be_visible()
        await site.page.keyboard.press("ArrowRight")
        await expect(dialog.get_by_role("img", name="Two")).to_be_visible()
        await dialog.get_by_role("button", name="Next").click()
        await expect(dialog.get_by_text("First")).to_be_visible()
        await site.page.evaluate(AXE.read_text(encoding="utf-8"))
        assert await findings(site.page) == []
        await site.page.keyboard.press("Escape")
        await expect(dialog).to_have_count(0)
        await expect(site.page.get_by_role("link", name="One")).to_be_focused()


@pytest.mark.parametrize("language", ["en", "ar"])
async def test_a_slideshow_moves_by_its_buttons(chromium: Browser, language: str) -> None:
    async with shown(chromium, input_with(page_with(heading("A"), SLIDES), language=language), 800) as site:
        following = site.page.get_by_role("button", name="Next")
        await expect(site.page.get_by_text("1 / 3")).to_be_visible()
        await following.click()
        await expect(site.page.get_by_text("2 / 3")).to_be_visible()
        await following.click()
        await expect(site.page.get_by_text("3 / 3")).to_be_visible()
        await expect(following).to_be_disabled()


async def test_widgets_without_scripts_are_links_and_rows(chromium: Browser) -> None:
    content = page_with(heading("A"), VIDEO, GALLERY, SLIDES)
    async with shown(chromium, input_with(content), 800, java_script_enabled=False) as site:
        await expect(site.page.get_by_role("button", name="Next")).to_have_count(0)
        await site.page.get_by_role("link", name="One").click()
        assert site.page.url == f"http://{HOST}/one.svg"
        await site.page.go_back()
        await site.page.get_by_role("link", name="Play the video").click()
        assert site.page.url.startswith("https://www.youtube.com/watch")
