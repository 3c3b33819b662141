"""What the command palette asks for and shows."""

from typing import Annotated

import msgspec

from sitewright.kit.http.about import about
from sitewright.kit.validation import Text


class PaletteQuery(msgspec.Struct, frozen=True):
    """What was typed."""

    q: Annotated[str, Text(1, 200), about("Beginnings of words, a domain or a number.", "ann")]


class PaletteItem(msgspec.Struct, frozen=True):
    """A page of the console that was found; `note` tells it from others of the same name."""

    kind: str
    label: str
    note: str
    href: str
