"""The navigation of a site: its pages, each below the page it belongs to."""

from collections.abc import Sequence

from sitewright.sites.content.schemas import Page
from sitewright.sites.publishing.views import Step, page_url

MOST_STEPS = 20
MOST_PAGES = 300
"""What nobody would look through, and every page would carry."""


def navigation(pages: Sequence[Page], home: Page | None) -> list[Step]:
    """`pages` in order. One whose parent is not shown stands where the parent would; a circle has no place in it."""
    wanted = [page for page in pages if not page.hidden_from_navigation][:MOST_PAGES]
    by_ref = {page.ref: page for page in pages}
    shown = {
        page.ref: Step(page.title, page_url(path), path, [])
        for page in wanted
        for path in ["" if page is home else page.request.lower()]
    }
    top: list[Step] = []
    for page in wanted:
        above = _above(page, by_ref, shown)
        (top if above is None else above.steps).append(shown[page.ref])
    return top


def _above(page: Page, by_ref: dict[int, Page], shown: dict[int, Step]) -> Step | None:
    """The nearest page above that is shown; None also where the way up leads back to the page itself."""
    passed, parent = {page.ref}, by_ref.get(page.parent_id)
    found: Step | None = None
    while parent is not None:
        if parent.ref in passed or len(passed) > MOST_STEPS:
            return None
        passed.add(parent.ref)
        found = found or shown.get(parent.ref)
        parent = by_ref.get(parent.parent_id)
    return found
