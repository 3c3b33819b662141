"""What the builders of one page's widgets share: the site's business, its pictures, and ids given so far."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from sitewright.sites.publishing.pictures import FULL, Loading, Picture, Pictures
from sitewright.sites.publishing.views import Business

_RESERVED_IDS = ("main", "menu", "contact", "sent", "newsletter-form", "newsletter-sent")
View = dict[str, Any]
Values = Mapping[str, Any]


class PageState(msgspec.Struct, kw_only=True):
    """`is_own_host`: for the site's own hosts, where raw HTML is allowed."""

    business: Business
    language: str
    is_own_host: bool
    pictures: Pictures
    loading: Loading
    columns_around: int = 1
    """How many columns stand side by side around the current widget."""
    forms: int = 0
    newsletters: int = 0
    needs_script: bool = False
    """Whether a widget of the page uses the script of published sites."""
    ids: dict[str, int] = msgspec.field(default_factory=lambda: dict.fromkeys(_RESERVED_IDS, 1))

    def picture(self, value: str, sizes: str) -> Picture | None:
        found = self.pictures.find(value)
        return None if found is None else self.loading.placed(found, sizes)

    def picture_html(self, value: str, alt: str) -> str:
        """The HTML of a picture within rich text."""
        found = self.picture(value, FULL)
        return "" if found is None else found.html(alt)

    def unique_id(self, text: str) -> str:
        """Return an id for an element with this text that is unique in the page, for links."""
        slug = re.sub(r"[\W_]+", "-", text.lower()).strip("-")[:60] or "section"
        name, number = slug, self.ids.get(slug, 1)
        while name in self.ids:
            number += 1
            name = f"{slug}-{number}"
        self.ids[slug] = number  # so that the next equal heading does not try all numbers again
        self.ids.setdefault(name, 1)
        return name


def lines_of(text: str) -> list[str]:
    """The lines of a plain text, without empty ones."""
    return [line.strip() for line in text.splitlines() if line.strip()]


Builder = Callable[[PageState, Values, int], View | None]
"""Builds the view of a widget from its parsed values and the depth of columns; None where it has nothing to show."""
