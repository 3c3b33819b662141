"""Bundled fonts of sites: which ones there are, the style rules that load them, and their files.

The browser build copies the files to `FOLDER`, with a manifest. Without it, sites use fonts of the visitor's system.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import msgspec
import yaml

from sitewright.kit import ui

FOLDER = Path(ui.__file__).parent / "built" / "site-fonts"
ADDRESS = "/_site/fonts/"
"""The same on every site and on the service's own host, so that a page looks the same in previews."""
MEDIA_TYPE = "font/woff2"
FIRST_SUBSET = "latin"
GENERIC = {"sans": "system-ui,sans-serif", "serif": "Georgia,serif"}
LOCAL = {
    "sans": ("Arial", "ArialMT", "Liberation Sans", "Roboto"),
    "serif": ("Times New Roman", "TimesNewRomanPSMT", "Liberation Serif", "Noto Serif"),
}
LOCAL_BOLD = {
    "sans": ("Arial Bold", "Arial-BoldMT", "Liberation Sans Bold", "Roboto Bold"),
    "serif": ("Times New Roman Bold", "TimesNewRomanPS-BoldMT", "Liberation Serif Bold", "Noto Serif Bold"),
}
_STEADY, _SWAPPING = "font-display:optional", "font-display:swap"
_USE = re.compile(r"font\(([a-z0-9-]+)\)")
_FILE_NAME = re.compile(r"([a-z0-9-]{1,60})\.[0-9a-f]{12}\.woff2")


class Family(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A font of `fonts.yaml`, which explains the fields."""

    family: str
    generic: str
    weights: str | int
    normal: float
    ascent: float
    descent: float
    bold: float | None = None

    @property
    def stack(self) -> str:
        return f'"{self.family}","{self.family} Fallback",{GENERIC[self.generic]}'


class Subset(msgspec.Struct, frozen=True):
    """A file of the manifest, with the characters that it has."""

    file: str
    range: str


class SampleFace(msgspec.Struct, frozen=True):
    """A font with the letters of Latin scripts, for a page that shows a sample of it."""

    family: str
    url: str
    weights: str


class FontFile(msgspec.Struct, frozen=True):
    body: bytes
    is_exact: bool
    """Whether it is the file of that name, not one of another release that has taken its place."""


def families_in(text: str) -> list[str]:
    """The keys of the bundled fonts that a value of a template names, such as `font(lora)`."""
    keys = _USE.findall(text)
    for key in keys:
        if key not in library():
            raise ValueError(f"there is no bundled font {key}; known are {', '.join(sorted(library()))}")
    return keys


def expand(text: str) -> str:
    """Replace each `font(key)` by a list of families: the font, its fallback of the same size, a generic one."""
    return _USE.sub(lambda found: library()[found[1]].stack, text)


def face_rules(keys: Iterable[str]) -> str:
    """The `@font-face` rules of the fonts and their fallbacks, for those that were built."""
    return "".join(rule for key in keys if key in manifest() for rule in _rules(key))


def swapping(style: str) -> str:
    """The style for previews and the editor, which preload no fonts: the page may move once they arrive.

    A site's own pages keep the fallback where the font comes too late for the first paint, so that nothing moves.
    """
    return style.replace(_STEADY, _SWAPPING)


def first_urls(keys: Iterable[str]) -> list[str]:
    """The files that a page in a Latin script needs first, to be preloaded."""
    return [ADDRESS + manifest()[key][FIRST_SUBSET].file for key in keys if key in manifest()]


def sample_faces(keys: Iterable[str]) -> list[SampleFace]:
    """Those of the fonts that were built."""
    return [
        SampleFace(library()[key].family, ADDRESS + manifest()[key][FIRST_SUBSET].file, str(library()[key].weights))
        for key in keys
        if key in manifest()
    ]


def find_file(name: str) -> FontFile | None:
    """Find a file by the name in its URL. A snapshot of another release gets this release's file of the same font."""
    body = _bodies().get(name)
    if body is not None:
        return FontFile(body, is_exact=True)
    matched = _FILE_NAME.fullmatch(name)
    current = None if matched is None else _current_names().get(matched[1])
    return None if current is None else FontFile(_bodies()[current], is_exact=False)


@cache
def library() -> dict[str, Family]:
    """Every known font by its key, built or not."""
    text = (Path(__file__).parent / "fonts.yaml").read_text(encoding="utf-8")
    return msgspec.convert(yaml.safe_load(text), dict[str, Family])


@cache
def manifest() -> dict[str, dict[str, Subset]]:
    """The files of each font by subset; empty where fonts were not built."""
    file = FOLDER / "manifest.json"
    if not file.is_file():
        return {}
    found: dict[str, dict[str, Subset]] = msgspec.convert(
        json.loads(file.read_text(encoding="utf-8")), dict[str, dict[str, Subset]]
    )
    return {key: subsets for key, subsets in found.items() if key in library()}


@cache
def _bodies() -> dict[str, bytes]:
    """Read once for each process and looked up by name, which makes path traversal impossible."""
    names = [subset.file for subsets in manifest().values() for subset in subsets.values()]
    return {name: (FOLDER / name).read_bytes() for name in names}


@cache
def _current_names() -> dict[str, str]:
    return {name.partition(".")[0]: name for name in _bodies()}


def _rules(key: str) -> Iterator[str]:
    font = library()[key]
    for subset in manifest()[key].values():
        yield (
            f'@font-face{{font-family:"{font.family}";font-weight:{font.weights};{_STEADY};'
            f'src:url({ADDRESS}{subset.file}) format("woff2");unicode-range:{subset.range}}}'
        )
    if font.bold is None:
        yield _fallback(font, "100 900", LOCAL, font.normal)
    else:
        yield _fallback(font, "100 549", LOCAL, font.normal)
        yield _fallback(font, "550 900", LOCAL_BOLD, font.bold)


def _fallback(font: Family, weights: str, local: Mapping[str, tuple[str, ...]], size: float) -> str:
    """A font of the visitor's system, scaled to the size of the bundled one."""
    source = ",".join(f'local("{name}")' for name in local[font.generic])
    return (
        f'@font-face{{font-family:"{font.family} Fallback";font-weight:{weights};src:{source};'
        f"size-adjust:{size:.2%};ascent-override:{font.ascent / size:.2%};"
        f"descent-override:{font.descent / size:.2%};line-gap-override:0%}}"
    )
