"""What the layout of mails takes from the design system: the colors of both themes, with the brand's accent."""

from functools import lru_cache

from sitewright.kit.ui.colors import accent_for
from sitewright.kit.ui.tokens import Theme, colors


@lru_cache(maxsize=1000)
def mail_colors(accent_colour: str | None) -> dict[Theme, dict[str, str]]:
    """By theme and token, with underscores for hyphens, as templates name them."""
    return {"light": _colors("light", accent_colour), "dark": _colors("dark", accent_colour)}


def _colors(theme: Theme, accent_colour: str | None) -> dict[str, str]:
    found = {name.replace("-", "_"): color for name, color in colors(theme).items()}
    if accent_colour is None:
        return found
    accent = accent_for(accent_colour, theme)
    return found | {"accent": accent.accent, "on_accent": accent.on_accent, "accent_soft": accent.accent_soft}
