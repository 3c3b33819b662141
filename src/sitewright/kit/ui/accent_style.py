"""The style element that gives a page a brand's accent color, and the hash that its content security policy allows."""

import base64
import hashlib
from functools import lru_cache

import msgspec
from markupsafe import Markup

from sitewright.kit.ui.colors import Accent, accent_for


class InlineStyle(msgspec.Struct, frozen=True):
    text: Markup
    source: str
    """What allows it in `style-src`."""


@lru_cache(maxsize=1000)
def accent_style(color: str) -> InlineStyle:
    """The accent of both themes, corrected to be readable."""
    light, dark = _tokens(accent_for(color, "light")), _tokens(accent_for(color, "dark"))
    return inline_style(f":root{{{light}}}@media (prefers-color-scheme:dark){{:root{{{dark}}}}}")


def inline_style(text: str) -> InlineStyle:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return InlineStyle(Markup(text), f"'sha256-{digest}'")  # noqa: S704 - our own text


def _tokens(accent: Accent) -> str:
    return f"--accent:{accent.accent};--on-accent:{accent.on_accent};--accent-soft:{accent.accent_soft}"
