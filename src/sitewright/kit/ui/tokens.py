"""The colors of `styles/tokens.css`, for code that computes with them: accents of brands, and mails."""

import re
from functools import cache
from pathlib import Path
from typing import Literal

Theme = Literal["light", "dark"]
STYLES = Path(__file__).parent / "styles"
_COLOR = re.compile(r"(?<![a-z-])--([a-z0-9-]++): (#[0-9a-f]{6});")


@cache
def colors(theme: Theme) -> dict[str, str]:
    """The colors by token name, like `accent-soft`; the dark theme replaces those of the light one."""
    light, _, dark = (STYLES / "tokens.css").read_text(encoding="utf-8").partition("prefers-color-scheme: dark")
    found = dict(_COLOR.findall(light))
    return found if theme == "light" else found | dict(_COLOR.findall(dark))
