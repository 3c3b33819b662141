"""The navigation of a site: a tree of its pages."""

from collections.abc import Sequence

from sitewright.sites.content.schemas import Page
from sitewright.sites.publishing.views import NavigationItem, page_url

MAX_DEPTH = 20
MAX_PAGES = 300
"""Limits the navigation, which every page includes."""


def navigation(pages: Sequence[Page], home: Page | None) -> list[NavigationItem]:
    """Build the tree from ordered pages. Children of hidden pages move up; cycles are broken."""
    wanted = [page for page in pages if not page.hidden_from_navigation][:MAX_PAGES]
    by_ref = {page.ref: page for page in pages}
    shown = {
        page.ref: NavigationItem(page.title, page_url(path), path, [])
        for page in wanted
        for path in ["" if page is home else page.request.lower()]
    }
    top: list[NavigationItem] = []
    for page in wanted:
        ancestor = _shown_ancestor(page, by_ref, shown)
        (top if ancestor is None else ancestor.steps).append(shown[page.ref])
    return top


def _shown_ancestor(page: Page, by_ref: dict[int, Page], shown: dict[int, NavigationItem]) -> NavigationItem | None:
    """Return the nearest ancestor that is shown; None also for a cycle."""
    visited, parent = {page.ref}, by_ref.get(page.parent_id)
    found: NavigationItem | None = None
    while parent is not None:
        if parent.ref in visited or len(visited) > MAX_DEPTH:
            return None
        visited.add(parent.ref)
        found = found or shown.get(parent.ref)
        parent = by_ref.get(parent.parent_id)
    return found
