"""A site's content as JSON from PostgreSQL, decoded only where it is needed."""

from typing import Any

import msgspec

from sitewright.sites.content.schemas import Page, PageContent, SiteContent, WidgetContent

_PAGE = msgspec.json.Decoder(
    tuple[dict[str, Any], list[tuple[int, str, str, str, str, int, dict[str, str]]]]  # the page, and its widgets
)
_VALUE = msgspec.json.Decoder(tuple[str | None, str, str])


class ContentSize(msgspec.Struct, frozen=True):
    """The size of a site's content: of its pages, and of values that every page can include."""

    pages: int
    page_bytes: int
    shared_bytes: int


class StoredContent(msgspec.Struct, frozen=True):
    """A site's content: a JSON text for each page and each value, and a digest of everything."""

    pages: list[str]
    values: list[str]
    digest: str

    def decoded(self) -> SiteContent:
        global_values: dict[str, str] = {}
        static_values: dict[str, dict[str, str]] = {}
        for static_widget_id, name, value in map(_VALUE.decode, self.values):
            values = global_values if static_widget_id is None else static_values.setdefault(static_widget_id, {})
            values[name] = value
        return SiteContent([_page(text) for text in self.pages], global_values, static_values)


def _page(text: str) -> PageContent:
    fields, widgets = _PAGE.decode(text)
    by_parent: dict[str, list[WidgetContent]] = {}
    for widget in widgets:
        by_parent.setdefault(widget[1], []).append(WidgetContent(*widget))
    return PageContent(Page(**fields), by_parent)
