"""From the material of a site to the files of a snapshot. Runs in a thread or in a process of its own."""

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
from sitewright.sites.publishing.material import HOME, File, Material
from sitewright.sites.publishing.navigation import navigation
from sitewright.sites.publishing.views import PageView, Part, Section, Swatches, business_of, page_url
from sitewright.sites.publishing.widgets import WidgetViews
from sitewright.sites.publishing.words import direction_of, words_of

HTML, CSS, SVG = "text/html; charset=utf-8", "text/css; charset=utf-8", "image/svg+xml"
STYLE, ICON, NOT_FOUND = "_site/style.css", "_site/icon.svg", ":not-found"
NAME_LENGTH = 12
BETWEEN = " \u2013 "
"""The parts of a title."""


class Rendering:
    """One site in one design. `is_preview`: one page that stands for itself, on another host: nothing in it runs.

    Raises `RenderingTooLarge` where the site does not fit into `limits`.
    """

    def __init__(
        self, material: Material, design: Design, *, is_preview: bool = False, limits: Limits = DEFAULT_LIMITS
    ) -> None:
        self._material = material
        self._design = design
        self._is_preview = is_preview
        self._business = business_of(material.profile)
        self._words = words_of(material.language)
        self._home = material.home
        self._budget = Budget(limits)
        self._assets = [self._file(STYLE, CSS, design.style.encode()), self._file(ICON, SVG, self._icon().encode())]
        self._shared = self._shared_context()

    def files(self) -> list[File]:
        """All of a snapshot: its pages, what belongs to them, and the page for what is not there."""
        return [*self._assets, *self._pages(), self._not_found()]

    def home_page(self) -> bytes:
        page = PageContent(_EMPTY_PAGE, {}) if self._home is None else self._home
        return self._render("page.html", self._view(page, is_home=True))

    def _pages(self) -> Iterator[File]:
        """The home page also under the address it has as a page, for links that lead there."""
        home = self._file("", HTML, self.home_page())
        yield home
        for each in self._material.pages:
            path = each.page.request.lower()
            if each is not self._home:
                yield self._file(path, HTML, self._render("page.html", self._view(each)))
            elif path != HOME:
                yield msgspec.structs.replace(home, path=path)

    def _not_found(self) -> File:
        words = self._words
        view = PageView(
            path=NOT_FOUND,
            heading=words["not_found"],
            title=BETWEEN.join(filter(None, [words["not_found"], self._business.name])),
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
        widgets = WidgetViews(content, business, is_own_host=not self._is_preview, budget=self._budget)
        path = "" if is_home else page.request.lower()
        heading = (business.headline or business.name or page.title) if is_home else page.title
        about = page.description or (business.description or business.strapline if is_home else "")
        return PageView(
            path=path,
            heading=heading or self._words["welcome"],
            title=page.seo_title or self._title(page.title, is_home=is_home),
            description=" ".join((about or "").split())[:300],
            keywords=page.keywords or "",
            canonical=self._material.address and self._material.address + page_url(path),
            is_home=is_home,
            sections=widgets.sections() or self._nothing_yet(is_home=is_home),
            footer=widgets.footer(),
            headscript=self._script("headscript", page.headscript),
            bodyscript=self._script("bodyscript", page.bodyscript),
            is_listed=not self._is_preview,
            swatches=self._swatches(content.page),
        )

    def _title(self, title: str, *, is_home: bool) -> str:
        business = self._business
        parts = [business.name, business.strapline or business.headline] if is_home else [title, business.name]
        return BETWEEN.join(dict.fromkeys(filter(None, parts))) or title or self._words["welcome"]

    def _nothing_yet(self, *, is_home: bool) -> list[Section]:
        """A home page with nothing on it tells what the profile does."""
        if not is_home or self._material.pages:
            return []
        text = self._business.description or self._words["empty_text"]
        return [Section(None, [{"kind": "content", "html": Markup("<p>{}</p>").format(text)}])]

    def _script(self, name: str, own: str | None) -> str:
        """The site's and the page's own, as they are; a preview has none."""
        if self._is_preview:
            return ""
        return Markup("\n").join(Markup(each) for each in (self._material.global_values.get(name), own) if each)  # noqa: S704

    def _swatches(self, page: Page | None) -> Swatches:
        """The page's own, else the site's, else the template's."""
        choice, wanted = self._material.design, self._material.global_values
        own = (None, None) if page is None else (page.color_swatch_ref, page.font_swatch_ref)
        colours = self._design.colours(own[0], _ref(wanted.get("colorSwatchRef")), choice.colour_swatch_ref)
        fonts = self._design.fonts(own[1], _ref(wanted.get("fontSwatchRef")), choice.font_swatch_ref)
        return Swatches(colours.ref, fonts.ref)

    def _shared_context(self) -> dict[str, Any]:
        material, pages = self._material, [each.page for each in self._material.pages]
        static = material.static_values
        return {
            "language": material.language.replace("_", "-"),
            "direction": direction_of(material.language),
            "words": self._words,
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
        data = linked_data(self._business, self._material.address) if page.is_home and not self._is_preview else None
        found: Template = self._design.environment.get_template(template)
        return self._budget.page(page.path, found.generate(self._shared, page=page, linked_data=data))

    def _file(self, path: str, content_type: str, body: bytes) -> File:
        etag = hashlib.blake2b(body, digest_size=16).hexdigest()
        file = File(path, content_type, f'"{etag}"', gzip.compress(body, 6, mtime=0))
        self._budget.add_file(len(body), len(file.body))
        return file

    def _icon(self) -> str:
        colours = self._design.colours(self._material.design.colour_swatch_ref).values
        known = {"initial": self._business.initial, "accent": colours["accent"], "on_accent": colours["on-accent"]}
        return self._design.environment.get_template("icon.svg").render(known)


def _versioned(file: File) -> str:
    """An address that changes with the content, so that browsers may keep it for ever."""
    return f"/{file.path}?v={file.etag.strip(chr(34))[:NAME_LENGTH]}"


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
