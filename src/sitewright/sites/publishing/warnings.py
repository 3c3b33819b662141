"""Warnings about a site's content that will not be shown as expected."""

from collections.abc import Iterator
from itertools import islice

import msgspec

from sitewright.sites.content import service as content
from sitewright.sites.content.schemas import PageContent

MAX_WARNINGS = 100


class Reason(msgspec.Struct, frozen=True):
    """An error or warning; warnings do not prevent publishing.

    Where it is a limit of the package: its `capability`, what it allows (`limit`), and what is in use.
    """

    code: str
    detail: str
    is_warning: bool = False
    capability: str | None = None
    limit: int = 0
    use: int = 0


def widget_warnings(pages: list[PageContent]) -> list[Reason]:
    return list(islice(_widget_warnings(pages), MAX_WARNINGS))


def _widget_warnings(pages: list[PageContent]) -> Iterator[Reason]:
    """Yield a warning for an empty site, for each unknown type, with its pages, and for each invalid value."""
    if not pages:
        yield Reason(
            "noPages", "The site has no pages. Add one; otherwise visitors see an empty page.", is_warning=True
        )
    elif not any(page.widgets for page in pages):
        yield Reason("noContent", "The site's pages are empty. Add widgets to them.", is_warning=True)
    unknown: dict[str, list[str]] = {}
    for page in pages:
        for widget in page.widgets:
            if content.widget_type(widget.type) is None:
                unknown.setdefault(widget.type, []).append(page.page.request)
            for name in content.invalid_values(widget):
                where = f"{name} of the widget {widget.name} on the page {page.page.request}"
                yield Reason("invalidWidgetValue", f"{where} is invalid; its default is used.", is_warning=True)
    for kind, requests in unknown.items():
        where = ", ".join(dict.fromkeys(requests))
        yield Reason(
            "unknownWidgetType", f"Widgets of the type {kind} are not shown (pages: {where}).", is_warning=True
        )
