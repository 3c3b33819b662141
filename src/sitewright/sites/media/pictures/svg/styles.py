"""Sanitizes CSS in SVG: declarations of allowed properties whose values load nothing; no at-rules."""

import re
from collections.abc import Iterator

from sitewright.sites.media.pictures.svg.allowed import PRESENTATION

MAX_CSS_CHARACTERS = 200_000
LOCAL_URL = re.compile(r"""url\(\s*(["']?)#([\w.:-]{1,200})\1\s*\)""", re.IGNORECASE)
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_SELECTOR = re.compile(r"[\w\s.#,>*:+~()-]{1,2000}")
_FUNCTIONS = {
    *("calc", "min", "max", "clamp", "rgb", "rgba", "hsl", "hsla", "hwb", "lab", "lch", "oklab", "oklch", "rotate"),
    *("matrix", "translate", "translatex", "translatey", "scale", "scalex", "scaley", "skewx", "skewy", "blur"),
    *("brightness", "contrast", "drop-shadow", "grayscale", "hue-rotate", "invert", "opacity", "saturate", "sepia"),
}
_NOT_IN_NAMES = re.compile(r"[^\w-]")


def is_harmless(value: str) -> bool:
    """No escapes, no markup, no functions but those known, and references only to elements of the same file."""
    if "\\" in value or "<" in value or "/*" in value or "@" in value:
        return False
    remaining = LOCAL_URL.sub(" ", value)
    return all(name.lower() in _FUNCTIONS for name in _function_names(remaining))


def declarations(text: str) -> str:
    """The allowed declarations of a `style` attribute, or of a rule."""
    kept = []
    for each in _COMMENT.sub(" ", text[:MAX_CSS_CHARACTERS]).split(";"):
        name, colon, value = each.partition(":")
        name, value = name.strip().lower(), " ".join(value.split())
        if colon and value and name in PRESENTATION and is_harmless(value):
            kept.append(f"{name}:{value}")
    return ";".join(kept)


def stylesheet(text: str) -> str:
    """The rules whose selectors and declarations are simple. What is nested in an at-rule is removed with it."""
    text = _without_at_rules(_COMMENT.sub(" ", text[:MAX_CSS_CHARACTERS]))
    kept = []
    for selector, body in _rules(text):
        clean = declarations(body)
        if clean and _SELECTOR.fullmatch(selector.strip()):
            kept.append(f"{' '.join(selector.split())}{{{clean}}}")
    return "".join(kept)


def _function_names(value: str) -> Iterator[str]:
    """What precedes each opening parenthesis."""
    for part in value.split("(")[:-1]:
        yield _NOT_IN_NAMES.split(part.rstrip())[-1]


def _rules(text: str) -> Iterator[tuple[str, str]]:
    """Each selector with its declarations."""
    for part in text.split("}")[:-1]:
        before, brace, body = part.rpartition("{")
        if brace:
            yield before.rpartition("{")[2], body


def _without_at_rules(text: str) -> str:
    """Each at-rule ends at its semicolon, or at the brace that closes its block."""
    kept, position = [], 0
    while (at := text.find("@", position)) >= 0:
        kept.append(text[position:at])
        position = _end_of_at_rule(text, at)
    return "".join(kept) + text[position:]


def _end_of_at_rule(text: str, at: int) -> int:
    depth = 0
    for position in range(at, len(text)):
        character = text[position]
        if character == "{":
            depth += 1
        elif character == "}" and depth <= 1:
            return position + 1
        elif character == "}":
            depth -= 1
        elif character == ";" and depth == 0:
            return position + 1
    return len(text)
