"""A sample site in a template, rendered without a service and given to Chromium as if a server had sent it."""

import asyncio
import gzip
import hashlib
import re
from urllib.parse import unquote, urlsplit

import msgspec
from playwright.async_api import Page, Route

from sitewright.kit import site_fonts
from sitewright.sites.media.schemas import MediaFiles, MediaVariant
from sitewright.sites.publishing.designs import builtin_design
from sitewright.sites.publishing.render_input import DesignChoice, RenderInput
from sitewright.sites.publishing.rendering import Rendering
from tests.support.sample_parts import Sample
from tests.support.sample_sites import SAMPLES

ADDRESS = "http://site.test/"
FONTS = site_fonts.ADDRESS.removeprefix("/")
MEDIA = "_media/"
DRAWING = re.compile(rb"data:image/svg\+xml,.*?%3C/svg%3E")
_SIZE = re.compile(r'viewBox="0 0 (\d+) (\d+)"')


class RenderedSite(msgspec.Struct, frozen=True):
    files: dict[str, tuple[str, bytes]]
    """Media type and gzipped body of each path."""

    @classmethod
    def of(
        cls,
        template: str,
        colours: int | None = None,
        fonts: int | None = None,
        language: str = "en",
        sample: Sample | None = None,
    ) -> "RenderedSite":
        shown = sample or SAMPLES.get(template, SAMPLES["consult"])
        design = builtin_design(template)
        choice = DesignChoice(
            directory=template,
            color_swatch_ref=colours or design.info.colours[0].ref,
            font_swatch_ref=fonts or design.info.fonts[0].ref,
        )
        render_input = msgspec.structs.replace(shown.render_input(choice), language=language)
        return cls.from_input(render_input)

    @classmethod
    def from_input(cls, render_input: RenderInput) -> "RenderedSite":
        render_input, files = with_library(render_input)
        design = builtin_design(render_input.design.directory)
        pages = {file.path: (file.content_type, file.body) for file in Rendering(render_input, design).files()}
        return cls(pages | files)

    async def open(self, page: Page, path: str = "", *, fonts_after: asyncio.Event | None = None) -> None:
        """Open a page and wait for its fonts. With `fonts_after`, fonts arrive only once the event is set.

        Without it, fonts are always used: a site's own style leaves out those that are late.
        """

        async def respond(route: Route) -> None:
            wanted = urlsplit(route.request.url).path.removeprefix("/")
            if wanted.startswith(FONTS):
                if fonts_after is not None:
                    await fonts_after.wait()
                await _send_font(route, wanted.removeprefix(FONTS))
            elif wanted in self.files:
                content_type, body = self.files[wanted]
                text = gzip.decompress(body)
                if fonts_after is None:
                    text = text.replace(b"font-display:optional", b"font-display:block")
                await route.fulfill(body=text, headers={"content-type": content_type})
            else:
                await route.fulfill(status=404, body="")

        await page.context.route(f"{ADDRESS}**", respond)
        await page.goto(ADDRESS + path, wait_until="load" if fonts_after is None else "commit")
        if fonts_after is None:
            await page.evaluate("document.fonts.ready.then(() => 0)")


async def _send_font(route: Route, name: str) -> None:
    found = site_fonts.find_file(name)
    if found is None:
        await route.fulfill(status=404, body="")
    else:
        headers = {"content-type": site_fonts.MEDIA_TYPE, "access-control-allow-origin": "*"}
        await route.fulfill(body=found.body, headers=headers)


def with_library(render_input: RenderInput) -> tuple[RenderInput, dict[str, tuple[str, bytes]]]:
    """Move the drawings of a sample into a media library, so that pages know their sizes; returns also their files."""
    files: dict[str, tuple[str, bytes]] = {}
    media: dict[int, MediaFiles] = {}
    refs: dict[bytes, int] = {}

    def moved(found: re.Match[bytes]) -> bytes:
        if found[0] not in refs:
            ref = refs[found[0]] = len(refs) + 1
            width, height = size_of(found[0])
            name = hashlib.sha256(found[0]).hexdigest()[:16] + ".svg"
            files[MEDIA + name] = ("image/svg+xml", gzip.compress(_svg(found[0]).encode()))
            variant = MediaVariant(name, "svg", width, height, animated=False)
            media[ref] = MediaFiles(ref, name, "", "image/svg+xml", width, height, 1, 0.5, 0.5, [variant])
        return f"media:{refs[found[0]]}".encode()

    text = DRAWING.sub(moved, msgspec.json.encode(render_input))
    return msgspec.structs.replace(msgspec.json.decode(text, type=RenderInput), media=media), files


def size_of(drawing: bytes) -> tuple[int, int]:
    """Width and height of a drawing that is a data URL."""
    size = _SIZE.search(_svg(drawing))
    return (int(size[1]), int(size[2])) if size else (640, 480)


def _svg(drawing: bytes) -> str:
    return unquote(drawing.decode().partition(",")[2])
