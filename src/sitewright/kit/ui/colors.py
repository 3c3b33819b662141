"""Contrast by WCAG 2.2, and the correction of a brand's accent color so that it is readable wherever it is used."""

import msgspec

from sitewright.kit.ui.tokens import Theme, colors

ENOUGH_CONTRAST = 4.5
SURFACES = ("ground", "surface", "sunken")
SOFT_SHARE = 0.09
"""The share of the accent in `accent-soft`, the background of badges and selected items."""
_STEPS = 100

Rgb = tuple[int, int, int]


class Accent(msgspec.Struct, frozen=True):
    """The tokens that a brand's accent replaces in one theme."""

    accent: str
    on_accent: str
    accent_soft: str


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colors, from 1 to 21."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(color: str) -> float:
    """The relative luminance of `#rrggbb`, from 0 (black) to 1 (white)."""
    red, green, blue = (_linear(channel / 255) for channel in _rgb(color))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def accent_for(color: str, theme: Theme) -> Accent:
    """The color itself, or the nearest darker (light theme) or lighter one (dark theme) that has enough contrast with
    every surface, with its own soft background and with the text on it."""
    target = "#000000" if theme == "light" else "#ffffff"
    for step in range(_STEPS + 1):
        accent = _accent(mix(color, target, step / _STEPS), theme)
        if _is_readable(accent, theme):
            return accent
    raise AssertionError("black and white are readable on every surface of the tokens")


def mix(color: str, other: str, share: float) -> str:
    """`share` of the other color, the rest of the first."""
    channels = zip(_rgb(color), _rgb(other), strict=True)
    return "#" + "".join(f"{round(one + (two - one) * share):02x}" for one, two in channels)


def _accent(color: str, theme: Theme) -> Accent:
    tokens = colors(theme)
    return Accent(color, tokens["on-accent"], mix(tokens["surface"], color, SOFT_SHARE))


def _is_readable(accent: Accent, theme: Theme) -> bool:
    tokens = colors(theme)
    others = (accent.on_accent, accent.accent_soft, *(tokens[name] for name in SURFACES))
    return all(contrast(accent.accent, other) >= ENOUGH_CONTRAST for other in others)


def _rgb(color: str) -> Rgb:
    red, green, blue = bytes.fromhex(color.removeprefix("#"))
    return red, green, blue


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else float(((channel + 0.055) / 1.055) ** 2.4)
