"""Render the input of a site to the files of a snapshot. Runs in a thread or in a child process."""

from collections.abc import Iterator
from typing import Any, Literal

import msgspec
from jinja2 import Template
from markupsafe import Markup

from sitewright.kit import site_fonts
from sitewright.sites.content.schemas import CUSTOM_CSS, FAVICON, Page, PageContent
from sitewright.sites.publishing.budget import DEFAULT_LIMITS, Budget, Limits
from sitewright.sites.publishing.designs import Design
from sitewright.sites.publishing.editing import editing_functions, published_functions
from sitewright.sites.publishing.linked_data import linked_data, opening_hours
from sitewright.sites.publishing.navigation import navigation
from sitewright.sites.publishing.news import ATOM, FEED, atom_feed, posts_of
from sitewright.sites.publishing.pictures import PATH, Loading, Pictures
from sitewright.sites.publishing.raw_html import with_pictures
from sitewright.sites.publishing.render_input import HOME, File, RenderInput, compressed_file
from sitewright.sites.publishing.site_script import script_file
from sitewright.sites.publishing.translations import direction_of, is_latin, texts_for
from sitewright.sites.publishing.views import PageView, Part, Section, Swatches, business_of, page_url
from sitewright.sites.publishing.widgets import WidgetViews

HTML, CSS, SVG = "text/html; charset=utf-8", "text/css; charset=utf-8", "image/svg+xml"
STYLE, ICON, NOT_FOUND = "_site/style.css", "_site/icon.svg", ":not-found"
VERSION_LENGTH = 12
TITLE_SEPARATOR = " \u2013 "
"""The separator of a title's parts."""


Mode = Literal["site", "preview", "editing"]
"""For the site's own hosts; a self-contained page for another host, without scripts; or one with the editor's marks."""


class Rendering:
    """Renders one site in one design.

    Raises `RenderingTooLarge` where the site exceeds `limits`.
    """

    def __init__(
        self, render_input: RenderInput, design: Design, mode: Mode = "site", *, limits: Limits = DEFAULT_LIMITS
    ) -> None:
        self._input = render_input
        self._design = design
        self._is_preview = mode == "preview"
        self._is_editing = mode == "editing"
        prefix = render_input.preview_media if self._is_self_contained else PATH
        self._pictures = Pictures(render_input.media, prefix, is_named=self._is_editing)
        self._business = business_of(render_input.profile, self._pictures, render_input.address)
        self._texts = texts_for(render_input.language)
        self._home = render_input.home
        self._budget = Budget(limits)
        self._style = style_of(design, render_input.global_values.get(CUSTOM_CSS, ""))
        self._assets = [self._file(STYLE, CSS, self._style.encode()), self._file(ICON, SVG, self._icon().encode())]
        self._posts = posts_of(render_input.pages, self._home) if render_input.address else []
        self._opening_hours = opening_hours(render_input.pages)
        self._uses_script = False
        self._favicon = self._pictures.smallest(render_input.global_values.get(FAVICON, "").strip())
        self._shared = self._shared_context()

    def files(self) -> list[File]:
        """Render all files of a snapshot: assets, pages, the 404 page, and the feed where there are news."""
        pages = [*self._pages(), self._not_found()]
        script = [script_file()] if self._uses_script else []
        return [*self._assets, *script, *self._feed(), *pages]

    def _feed(self) -> list[File]:
        if not self._posts:
            return []
        title = self._business.name or self._input.address
        language = str(self._shared["language"])
        return [self._file(FEED, ATOM, atom_feed(self._posts, title, self._input.address, language))]

    def home_page(self) -> bytes:
        page = PageContent(_EMPTY_PAGE, {}) if self._home is None else self._home
        return self._render("page.html", self._view(page, is_home=True))

    def page_at(self, path: str) -> bytes:
        """Render the published page at a path, `''` for the home page; return nothing where there is none."""
        wanted = path.lower()
        found = next((each for each in self._input.pages if each.page.request.lower() == wanted), None)
        if wanted in ("", HOME) or (found is not None and found is self._home):
            return self.home_page()
        return b"" if found is None else self._render("page.html", self._view(found))

    def edited_page(self, page_ref: int | None) -> bytes:
        """Render a page, or the home page; return nothing where there is no such page."""
        if page_ref is None or (self._home is not None and self._home.page.ref == page_ref):
            return self.home_page()
        edited = self._input.edited
        return b"" if edited is None else self._render("page.html", self._view(edited))

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
            font_urls=self._font_urls(self._swatches(None)),
        )
        return self._file(NOT_FOUND, HTML, self._render("not_found.html", view))

    def _view(self, content: PageContent, *, is_home: bool = False) -> PageView:
        page, business = content.page, self._business
        widgets = WidgetViews(
            content,
            business,
            is_own_host=not self._is_preview,
            budget=self._budget,
            language=self._input.language,
            pictures=self._pictures,
            loading=Loading(is_first_taken=is_home and self._has_hero_picture()),
            is_editing=self._is_editing,
        )
        path = "" if is_home else page.request.lower()
        heading = (business.headline or business.name or page.title) if is_home else page.title
        about = page.description or (business.description or business.strapline if is_home else "")
        sections, footer = widgets.sections(), widgets.footer()
        return PageView(
            path=path,
            heading=heading or self._texts["welcome"],
            title=page.seo_title or self._title(page.title, is_home=is_home),
            description=" ".join((about or "").split())[:300],
            keywords=page.keywords or "",
            canonical=self._input.address and self._input.address + page_url(path),
            is_home=is_home,
            sections=sections or self._placeholder_sections(is_home=is_home),
            footer=footer,
            script_url=self._script_url(widgets),
            headscript=self._script("headscript", page.headscript),
            bodyscript=self._script("bodyscript", page.bodyscript),
            is_listed=not self._is_preview,
            swatches=self._swatches(content.page),
            font_urls=self._font_urls(self._swatches(content.page)),
        )

    def _script_url(self, widgets: WidgetViews) -> str:
        """The script for widgets that use it; previews and the editor have none."""
        if self._is_self_contained or not widgets.needs_script:
            return ""
        self._uses_script = True
        return _versioned(script_file())

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
        """Return the scripts of site and page, with the addresses of pictures; a preview and the editor have none."""
        if self._is_preview or self._is_editing:
            return ""
        scripts = [each for each in (self._input.global_values.get(name), own) if each]
        return Markup("\n").join(Markup(with_pictures(each, self._pictures)) for each in scripts)  # noqa: S704

    def _swatches(self, page: Page | None) -> Swatches:
        """Choose the page's own sets of colors and fonts, else the site's, else the template's."""
        choice, wanted = self._input.design, self._input.global_values
        own = (None, None) if page is None else (page.color_swatch_ref, page.font_swatch_ref)
        colours = self._design.colours(own[0], _ref(wanted.get("colorSwatchRef")), choice.color_swatch_ref)
        fonts = self._design.fonts(own[1], _ref(wanted.get("fontSwatchRef")), choice.font_swatch_ref)
        return Swatches(colours.ref, fonts.ref)

    def _font_urls(self, swatches: Swatches) -> list[str]:
        """The fonts to preload: none in another script, whose letters they do not have."""
        if self._is_preview or not is_latin(self._input.language):
            return []
        return site_fonts.first_urls(self._design.fonts(swatches.fonts).bundled_fonts)

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
            "feed_url": f"/{FEED}" if self._posts and not self._is_preview else "",
            "style": Markup(site_fonts.swapping(self._style)) if self._is_self_contained else "",  # noqa: S704 - ends no style element
            "style_url": _versioned(self._assets[0]),
            "icon_url": self._favicon or _versioned(self._assets[1]),
            "icon_type": "" if self._favicon else SVG,
            **(editing_functions() if self._is_editing else published_functions()),
        }

    @property
    def _is_self_contained(self) -> bool:
        """Whether the service's own host shows the page: it contains its style, and its pictures are that host's."""
        return self._is_preview or self._is_editing

    def _render(self, template: str, page: PageView) -> bytes:
        self._budget.check_time()
        is_described = page.is_home and not self._is_preview
        data = linked_data(self._business, self._input.address, self._opening_hours) if is_described else None
        found: Template = self._design.environment.get_template(template)
        return self._budget.page(page.path, found.generate(self._shared, page=page, linked_data=data))

    def _file(self, path: str, content_type: str, body: bytes) -> File:
        file = compressed_file(path, content_type, body)
        self._budget.add_file(len(body), len(file.body))
        return file

    def _icon(self) -> str:
        colours = self._design.colours(self._input.design.color_swatch_ref).values
        known = {"initial": self._business.initial, "accent": colours["accent"], "on_accent": colours["on-accent"]}
        return self._design.environment.get_template("icon.svg").render(known)


def style_of(design: Design, custom: str) -> str:
    """The template's style, followed by the site's own CSS, which must not end a style element that it is put into."""
    return design.style + ("\n" + custom.replace("</", "<\\/") if custom.strip() else "")


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
