"""View models of widgets: by kind, with parsed and sanitized values."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from markupsafe import Markup

from sitewright.sites.content import service as content
from sitewright.sites.content.schemas import MAIN_ZONE, PageContent, WidgetContent
from sitewright.sites.publishing.budget import Budget
from sitewright.sites.publishing.pictures import FULL, SIZES, Loading, Picture, Pictures, sizes_of_columns
from sitewright.sites.publishing.sanitizing import rich_text, safe_url
from sitewright.sites.publishing.views import Business, Section, map_url

ZONE = "page-zones__"
FOOTER_ZONE = ZONE + "footer"
MAX_DEPTH = 4
"""Columns nested deeper than this are left out."""
View = dict[str, Any]
Values = Mapping[str, Any]


class WidgetViews:
    """View models of one page's widgets. `is_own_host`: for the site's own hosts, where raw HTML is allowed."""

    def __init__(
        self,
        page: PageContent,
        business: Business,
        *,
        is_own_host: bool,
        budget: Budget,
        pictures: Pictures | None = None,
        loading: Loading | None = None,
    ) -> None:
        self._page = page
        self._business = business
        self._is_own_host = is_own_host
        self._budget = budget
        self._pictures = pictures or Pictures({})
        self._loading = loading or Loading()
        self._columns_around = 1
        self._ids = dict.fromkeys(("main", "menu", "contact", "sent"), 1)
        self._forms = 0

    def sections(self) -> list[Section]:
        """Return the main zone, then other zones; each heading of the first or second level begins a section."""
        found: list[Section] = []
        for view in [each for zone in self._zones() for each in self._inside(zone)]:
            if view["kind"] == "heading" and view["level"] == 2:
                found.append(Section(view, []))
            else:
                if not found:
                    found.append(Section(None, []))
                found[-1].widgets.append(view)
        return found

    def footer(self) -> list[View]:
        return list(self._inside(FOOTER_ZONE))

    def _zones(self) -> list[str]:
        others = [zone for zone in self._page.by_parent if zone.startswith(ZONE) and zone.count("__") == 1]
        return [MAIN_ZONE, *sorted(set(others) - {MAIN_ZONE, FOOTER_ZONE})]

    def _inside(self, parent_id: str, depth: int = 0) -> Iterator[View]:
        for widget in self._page.inside(parent_id):
            self._budget.check_time()
            kind = widget.type.removeprefix("widget.")
            build = BUILDERS.get(kind)
            view = None if build is None else build(self, widget, content.values_with_defaults(widget), depth)
            if view is not None:
                yield {"kind": kind, **view}

    def _content(self, _widget: WidgetContent, values: Values, _depth: int) -> View | None:
        html = rich_text(values["content"], self._picture_html)
        return {"html": Markup(html)} if html.strip() else None  # noqa: S704 - cleaned

    def _heading(self, _widget: WidgetContent, values: Values, depth: int) -> View | None:
        text = values["text"].strip()
        level = max(2 if depth == 0 else 3, values["level"])
        return {"text": text, "level": level, "align": values["align"], "id": self._id(text)} if text else None

    def _image(self, _widget: WidgetContent, values: Values, _depth: int) -> View | None:
        sizes = SIZES[values["width"]] if self._columns_around == 1 else sizes_of_columns(self._columns_around)
        picture = self._picture(values["src"], sizes)
        if picture is None:
            return None
        texts = {name: values[name].strip() for name in ("alt", "caption", "width")}
        texts["alt"] = texts["alt"] or picture.alt
        return {"src": picture.src, "picture": picture, "link": safe_url(values["link"]), **texts}

    def _gallery(self, _widget: WidgetContent, values: Values, _depth: int) -> View | None:
        columns = values["columns"]
        sizes = sizes_of_columns(columns * self._columns_around, "100vw" if columns == 1 else "50vw")
        listed = [(each, self._picture(each["src"], sizes)) for each in values["images"]]
        pictures = [
            each | {"src": picture.src, "picture": picture, "alt": each["alt"] or picture.alt}
            for each, picture in listed
            if picture is not None
        ]
        return {"pictures": pictures, "columns": columns} if pictures else None

    def _picture(self, value: str, sizes: str) -> Picture | None:
        picture = self._pictures.find(value)
        return None if picture is None else self._loading.placed(picture, sizes)

    def _picture_html(self, value: str, alt: str) -> str:
        picture = self._picture(value, FULL)
        return "" if picture is None else picture.html(alt)

    def _button(self, _widget: WidgetContent, values: Values, _depth: int) -> View | None:
        text, url = values["text"].strip(), safe_url(values["url"])
        how = {"style": values["style"], "align": values["align"], "new_window": values["newWindow"]}
        return {"text": text, "url": url, **how} if text and url else None

    def _columns(self, widget: WidgetContent, values: Values, depth: int) -> View | None:
        if depth >= MAX_DEPTH:
            return None
        inside = self._page.columns_of(widget, values["columns"])
        around, self._columns_around = self._columns_around, self._columns_around * values["columns"]
        columns = [
            list(self._inside(f"{widget.own_id}__{number}", depth + 1)) if widgets else []
            for number, widgets in enumerate(inside)
        ]
        self._columns_around = around
        return {"columns": columns, "gap": values["gap"]} if any(columns) else None

    def _map(self, _widget: WidgetContent, values: Values, _depth: int) -> View | None:
        lines = [line.strip() for line in values["address"].splitlines() if line.strip()]
        lines = lines or self._business.address_lines
        return {"lines": lines, "url": map_url(", ".join(lines)), "text": values["text"].strip()} if lines else None

    def _contact_form(self, _widget: WidgetContent, values: Values, _depth: int) -> View:
        self._forms += 1
        texts = {name: values[name].strip() for name in ("title", "button", "thanks")}
        return {"number": self._forms, **texts}

    def _space(self, _widget: WidgetContent, values: Values, _depth: int) -> View:
        return {"height": values["height"]}

    def _html(self, _widget: WidgetContent, values: Values, _depth: int) -> View | None:
        html = values["html"] if self._is_own_host else rich_text(values["html"], self._picture_html)
        return {"html": Markup(html)} if html.strip() else None  # noqa: S704 - the site's own, on its own hosts

    def _id(self, text: str) -> str:
        """Return an id for a heading that is unique in the page, for links."""
        slug = re.sub(r"[\W_]+", "-", text.lower()).strip("-")[:60] or "section"
        name, number = slug, self._ids.get(slug, 1)
        while name in self._ids:
            number += 1
            name = f"{slug}-{number}"
        self._ids[slug] = number  # so that the next equal heading does not try all numbers again
        self._ids.setdefault(name, 1)
        return name


BUILDERS: dict[str, Callable[[WidgetViews, WidgetContent, Values, int], View | None]] = {
    "content": WidgetViews._content,
    "heading": WidgetViews._heading,
    "image": WidgetViews._image,
    "gallery": WidgetViews._gallery,
    "button": WidgetViews._button,
    "columns": WidgetViews._columns,
    "map": WidgetViews._map,
    "contactForm": WidgetViews._contact_form,
    "space": WidgetViews._space,
    "html": WidgetViews._html,
}
