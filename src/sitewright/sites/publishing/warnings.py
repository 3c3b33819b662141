"""What would not show as somebody may expect, found in what is on a site."""

from collections.abc import Iterator
from itertools import islice

import msgspec

from sitewright.sites.content import service as content
from sitewright.sites.content.schemas import PageContent

MOST_WARNINGS = 100


class Reason(msgspec.Struct, frozen=True):
    """A warning does not stop publishing. `capability`: of the package, where one is in the way."""

    code: str
    detail: str
    is_warning: bool = False
    capability: str | None = None


def about_widgets(pages: list[PageContent]) -> list[Reason]:
    return list(islice(_about_widgets(pages), MOST_WARNINGS))


def _about_widgets(pages: list[PageContent]) -> Iterator[Reason]:
    """One for each type that is not known, with the pages it stands on, and for each value that cannot be read."""
    unknown: dict[str, list[str]] = {}
    for page in pages:
        for widget in page.widgets:
            if content.widget_type(widget.type) is None:
                unknown.setdefault(widget.type, []).append(page.page.request)
            for name in content.wrong_values(widget):
                where = f"{name} of the widget {widget.name} on the page {page.page.request}"
                yield Reason("invalidWidgetValue", f"{where} cannot be read and counts as not sent.", is_warning=True)
    for kind, requests in unknown.items():
        where = ", ".join(dict.fromkeys(requests))
        yield Reason(
            "unknownWidgetType", f"Widgets of the type {kind} are not shown (pages: {where}).", is_warning=True
        )
