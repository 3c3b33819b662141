"""Wire schemas of ready-made sets of pages."""

from typing import Annotated

import msgspec

from sitewright.kit.http.about import about

_PAGE = {"title": "Home", "pageUrl": "home", "sections": ["hero", "features"]}


class PageSetPage(msgspec.Struct, frozen=True, rename="camel"):
    """A page that a set adds."""

    title: Annotated[str, about("Its title.", "Home")]
    page_url: Annotated[str, about("Its path; `home` for the home page.", "home")]
    sections: Annotated[list[str], about("The names of its ready-made sections (GET /sections), in order.", ["hero"])]


class PageSet(msgspec.Struct, frozen=True):
    """First pages of a site, added by one change."""

    name: Annotated[str, about("The value of `pageSet` in the change `addPageSet`.", "business")]
    title: Annotated[str, about("Its name for people, in the caller's language.", "Home, services, contact")]
    description: Annotated[str, about("What it is for, in the caller's language.", "What most businesses need.")]
    pages: Annotated[list[PageSetPage], about("What it adds, in order, the home page first.", [_PAGE])]


class PageSetList(msgspec.Struct, frozen=True, rename="camel"):
    """The ready-made sets of pages."""

    page_sets: Annotated[
        list[PageSet],
        about(
            "All of them.",
            [{"name": "business", "title": "Home, services, contact", "description": "What most businesses need.",
              "pages": [_PAGE]}],
        ),
    ]  # fmt: skip
