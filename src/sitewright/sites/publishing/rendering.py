"""Render the input of a site to the files of a snapshot. Runs in a thread or in a child process."""

import gzip
import hashlib
from collections.abc import Iterator
from typing import Any

import msgspec
from jinja2 import Template
from markupsafe import Markup

from sitewright.sites.content.schemas import Page, PageContent
from sitewright.sites.publishing.budget import DEFAULT_LIMITS, Budget, Limits
from sitewright.sites.publishing.designs import Design
from sitewright.sites.publishing.linked_data import linked_data
from sitewright.sites.publishing.navigation import navigation
from sitewright.sites.publishing.pictures import Loading, Pictures
from sitewright.sites.publishing.render_input import HOME, File, RenderInput
from sitewright.sites.publishing.translations import direction_of, texts_for
from sitewright.sites.publishing.views import PageView, Part, Section, Swatches, business_of, page_url
from sitewright.sites.publishing.widgets import WidgetViews

HTML, CSS, SVG = "text/html; charset=utf-8", "text/css; charset=utf-8", "image/svg+xml"
STYLE, ICON, NOT_FOUND = "_site/style.css", "_site/icon.svg", ":not-found"
VERSION_LENGTH = 12
TITLE_SEPARATOR = " \u2013 "
"""The separator of a title's parts."""


class Rendering:
    """Renders one site in one design. `is_preview`: a self-contained page for another host, without scripts.

    Raises `RenderingTooLarge` where the site exceeds `limits`.
    """

    def __init__(
        self, render_input: RenderInput, design: Design, *, is_preview: bool = False, limits: Limits = DEFAULT_LIMITS
    ) -> None:
        self._input = render_input
        self._design = design
        self._is_preview = is_preview
        self._pictures = Pictures(render_input.media, render_input.address if is_preview else "")
        self._business = business_of(render_input.profile, self._pictures, render_input.address)
        self._texts = texts_for(render_input.language)
        self._home = render_input.home
        self._budget = Budget(limits)
        self._assets = [self._file(STYLE, CSS, design.style.encode()), self._file(ICON, SVG, self._icon().encode())]
        self._shared = self._shared_context()

    def files(self) -> list[File]:
        """Render all files of a snapshot: assets, pages and the 404 page."""
        return [*self._assets, *self._pages(), self._not_found()]

    def home_page(self) -> bytes:
        page = PageContent(_EMPTY_PAGE, {}) if self._home is None else self._home
        return self._render("page.html", self._view(page, is_home=True))

    def _pages(self) -> Iterator[File]:
        """Render the pages; the home page is also stored under its own path, for links to it."""
        home = self._file("", HTML, self.home_page())
        yield home
        for each in self._input.pages:
            path = each.page.request.lower()
            if each is not self._home:
                yield self._file(path, HTML, self._render("page.html", self._view(each)))
            elif path != HOME:
                yield msgspec.structs.replace(home, path=path)

    def _not_found(self) -> File:
        texts = self._texts
        view = PageView(
            path=NOT_FOUND,
            heading=texts["not_found"],
            title=TITLE_SEPARATOR.join(filter(None, [texts["not_found"], self._business.name])),
            description="",
            keywords="",
            canonical="",
            is_home=False,
            sections=[],
            footer=[],
            is_listed=False,
            swatches=self._swatches(None),
        )
        return self._file(NOT_FOUND, HTML, self._render("not_found.html", view))

    def _view(self, content: PageContent, *, is_home: bool = False) -> PageView:
        page, business = content.page, self._business
        widgets = WidgetViews(
            content,
            business,
            is_own_host=not self._is_preview,
            budget=self._budget,
            pictures=self._pictures,
            loading=Loading(is_first_taken=is_home and self._has_hero_picture()),
        )
        path = "" if is_home else page.request.lower()
        heading = (business.headline or business.name or page.title) if is_home else page.title
        about = page.description or (business.description or business.strapline if is_home else "")
        return PageView(
            path=path,
            heading=heading or self._texts["welcome"],
            title=page.seo_title or self._title(page.title, is_home=is_home),
            description=" ".join((about or "").split())[:300],
            keywords=page.keywords or "",
            canonical=self._input.address and self._input.address + page_url(path),
            is_home=is_home,
            sections=widgets.sections() or self._placeholder_sections(is_home=is_home),
            footer=widgets.footer(),
            headscript=self._script("headscript", page.headscript),
            bodyscript=self._script("bodyscript", page.bodyscript),
            is_listed=not self._is_preview,
            swatches=self._swatches(content.page),
        )

    def _has_hero_picture(self) -> bool:
        """Whether the home page begins with the feature image, which then is its first picture."""
        parts = [Part(self._input.static_values.get(name, {})) for name in ("hero", "featureimage")]
        return bool(self._business.feature_image) and all(part.visible for part in parts)

    def _title(self, title: str, *, is_home: bool) -> str:
        business = self._business
        parts = [business.name, business.strapline or business.headline] if is_home else [title, business.name]
        return TITLE_SEPARATOR.join(dict.fromkeys(filter(None, parts))) or title or self._texts["welcome"]

    def _placeholder_sections(self, *, is_home: bool) -> list[Section]:
        """The content of an empty site's home page, from the profile."""
        if not is_home or self._input.pages:
            return []
        text = self._business.description or self._texts["empty_text"]
        return [Section(None, [{"kind": "content", "html": Markup("<p>{}</p>").format(text)}])]

    def _script(self, name: str, own: str | None) -> str:
        """Return the site's and the page's script unchanged; a preview has none."""
        if self._is_preview:
            return ""
        return Markup("\n").join(Markup(each) for each in (self._input.global_values.get(name), own) if each)  # noqa: S704

    def _swatches(self, page: Page | None) -> Swatches:
        """Choose the page's own sets of colors and fonts, else the site's, else the template's."""
        choice, wanted = self._input.design, self._input.global_values
        own = (None, None) if page is None else (page.color_swatch_ref, page.font_swatch_ref)
        colours = self._design.colours(own[0], _ref(wanted.get("colorSwatchRef")), choice.color_swatch_ref)
        fonts = self._design.fonts(own[1], _ref(wanted.get("fontSwatchRef")), choice.font_swatch_ref)
        return Swatches(colours.ref, fonts.ref)

    def _shared_context(self) -> dict[str, Any]:
        render_input, pages = self._input, [each.page for each in self._input.pages]
        static = render_input.static_values
        return {
            "language": render_input.language.replace("_", "-"),
            "direction": direction_of(render_input.language),
            "words": self._texts,
            "business": self._business,
            "navigation": navigation(pages, None if self._home is None else self._home.page),
            "part": lambda name: Part(static.get(name, {})),
            "home_url": "/",
            "style": Markup(self._design.style) if self._is_preview else "",  # noqa: S704 - of the template
            "style_url": _versioned(self._assets[0]),
            "icon_url": _versioned(self._assets[1]),
        }

    def _render(self, template: str, page: PageView) -> bytes:
        self._budget.check_time()
        data = linked_data(self._business, self._input.address) if page.is_home and not self._is_preview else None
        found: Template = self._design.environment.get_template(template)
        return self._budget.page(page.path, found.generate(self._shared, page=page, linked_data=data))

    def _file(self, path: str, content_type: str, body: bytes) -> File:
        etag = hashlib.blake2b(body, digest_size=16).hexdigest()
        file = File(path, content_type, f'"{etag}"', gzip.compress(body, 6, mtime=0))
        self._budget.add_file(len(body), len(file.body))
        return file

    def _icon(self) -> str:
        colours = self._design.colours(self._input.design.color_swatch_ref).values
        known = {"initial": self._business.initial, "accent": colours["accent"], "on_accent": colours["on-accent"]}
        return self._design.environment.get_template("icon.svg").render(known)


def _versioned(file: File) -> str:
    """Return a URL with the content's digest, so that browsers can cache it forever."""
    return f"/{file.path}?v={file.etag.strip(chr(34))[:VERSION_LENGTH]}"


def _ref(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 19 else None


_EMPTY_PAGE = msgspec.convert(
    {
        "ref": 0, "type": "page", "status": "active", "request": "home", "title": "", "keywords": None,
        "description": None, "canPublish": 1, "parentId": 0, "seoTitle": None, "themeRef": None,
        "colorSwatchRef": None, "fontSwatchRef": None, "headscript": None, "bodyscript": None, "displayOrder": 0,
        "templateType": "default", "hiddenFromNavigation": 0, "immutable": 0,
    },
    Page,
)  # fmt: skip
