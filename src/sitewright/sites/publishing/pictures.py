"""Pictures in pages: `media:<ref>` becomes the variants that exist now, in every format and width; other URLs stay.

Publishing never waits for a variant: what the worker finishes later is named by the next publish (decision 0081).
"""

import re
from collections.abc import Mapping, Sequence

import msgspec
from markupsafe import Markup

from sitewright.sites.media.schemas import MediaFiles, MediaVariant
from sitewright.sites.publishing.sanitizing import image_url

MEDIA = re.compile(r"\s*media:([1-9][0-9]{0,17})\s*")
PATH = "/_media/"
TYPES = {"avif": "image/avif", "webp": "image/webp"}
"""The formats that a `source` offers, best first; `img` has the fallback that every browser reads."""
FALLBACKS = ("jpg", "png", "svg", "webp", "avif")
FALLBACK_WIDTH = 960
"""For browsers that read neither `srcset` nor `sizes`, and for previews of links."""
FULL = "(min-width: 75rem) 72rem, 100vw"
SIZES = {"small": "(min-width: 20rem) 20rem, 100vw", "medium": "(min-width: 38rem) 38rem, 100vw", "full": FULL}
"""Widths of a picture in the page, as the shared style sheet has them."""


class Source(msgspec.Struct, frozen=True):
    type: str
    srcset: str


class Picture(msgspec.Struct, frozen=True, kw_only=True):
    """A picture as a view model. One of another host has a `src` only."""

    src: str
    srcset: str = ""
    sources: list[Source] = []
    width: int | None = None
    height: int | None = None
    largest: str = ""
    """The address of its largest variant, to be shown alone; empty where a browser does not open it."""
    alt: str = ""
    """Of the media library, for places that have none of their own."""
    position: str = ""
    """The focal point, for `object-position`; empty where it is the center."""
    value: str = ""
    """What the content calls it, in a page that is being edited: an edited text must name it as before."""
    sizes: str = ""
    loading: str = "lazy"
    priority: str = ""

    def html(self, alt: str) -> Markup:
        """The element, for a place that no template prints: a picture within rich text."""
        sizes = Markup(' sizes="{}"').format(self.sizes) if self.sizes and self.srcset else Markup("")
        sources = Markup("").join(
            Markup('<source type="{}" srcset="{}"').format(each.type, each.srcset) + sizes + Markup(">")
            for each in self.sources
        )
        srcset = Markup(' srcset="{}"').format(self.srcset) + sizes if self.srcset else Markup("")
        size = Markup(' width="{}" height="{}"').format(self.width, self.height) if self.width else Markup("")
        image = Markup('<img src="{}"').format(self.src) + srcset + size
        if self.value:
            image += Markup(' data-source="{}"').format(self.value)
        image += Markup(' alt="{}" loading="{}" decoding="async">').format(alt or self.alt, self.loading)
        return Markup("<picture>") + sources + image + Markup("</picture>") if self.sources else image


class Pictures:
    """The pictures of one site. `prefix` precedes the names of files: `/_media/` on the site's own hosts.

    `is_named`: pictures say what the content calls them, for editing.
    """

    def __init__(self, media: Mapping[int, MediaFiles], prefix: str = PATH, *, is_named: bool = False) -> None:
        self._media = media
        self.prefix = prefix
        self._is_named = is_named
        self._built: dict[int, Picture | None] = {}

    def find(self, value: str) -> Picture | None:
        """The picture of a value; None where there is none, or where it was deleted from the library."""
        found = MEDIA.fullmatch(value)
        if found is not None:
            ref = int(found[1])
            if ref not in self._built:
                self._built[ref] = self._picture(self._media[ref]) if ref in self._media else None
            return self._built[ref]
        src = image_url(value)
        return Picture(src=src, largest="" if src.lower().startswith("data:") else src) if src else None

    def smallest(self, value: str) -> str:
        """The address of the smallest file of a picture that every browser shows, for icons; empty without one."""
        found = MEDIA.fullmatch(value)
        if found is None:
            picture = self.find(value)
            return "" if picture is None else picture.src
        files = self._media.get(int(found[1]))
        variants = sorted(files.variants, key=lambda each: each.width) if files else []
        fitting = (each for name in FALLBACKS for each in variants if each.format == name)
        return next((self._url(each) for each in fitting), "")

    def _picture(self, files: MediaFiles) -> Picture | None:
        by_format: dict[str, list[MediaVariant]] = {}
        for each in files.variants:
            by_format.setdefault(each.format, []).append(each)
        animated = [each for each in by_format.get("webp", []) if each.animated]
        if animated:  # all others show only the first frame
            by_format["webp"] = animated
        fallback = next((by_format[each] for each in FALLBACKS if each in by_format), None)
        if fallback is None:
            return None
        named = [each for each in TYPES if each in by_format and by_format[each] is not fallback]
        return Picture(
            src=self._url(_fallback(fallback)),
            largest=self._url(max(fallback, key=lambda each: each.width)),
            srcset=self._srcset(fallback),
            sources=[Source(TYPES[each], self._srcset(by_format[each])) for each in named],
            width=files.width,
            height=files.height,
            alt=files.alt,
            position=_position(files),
            value=f"media:{files.ref}" if self._is_named else "",
        )

    def _url(self, variant: MediaVariant) -> str:
        return self.prefix + variant.name

    def _srcset(self, variants: Sequence[MediaVariant]) -> str:
        if variants[0].format == "svg":  # has no pixels
            return ""
        return ", ".join(f"{self._url(each)} {each.width}w" for each in sorted(variants, key=lambda each: each.width))


class Loading:
    """How the pictures of one page load: the first one at once and before others, all others when they come near."""

    def __init__(self, *, is_first_taken: bool = False) -> None:
        self._is_first_taken = is_first_taken

    def placed(self, picture: Picture, sizes: str) -> Picture:
        """The picture in its place, with the width that it has there."""
        if picture.width is None:  # of another host, of which we know nothing
            return picture
        if self._is_first_taken:
            return msgspec.structs.replace(picture, sizes=f"auto, {sizes}")
        self._is_first_taken = True
        return msgspec.structs.replace(picture, sizes=sizes, loading="eager", priority="high")


def sizes_of_columns(columns: int, narrow: str = "100vw") -> str:
    """One of several columns, which are side by side from 52rem on."""
    return FULL if columns <= 1 else f"(min-width: 52rem) {-(-100 // columns)}vw, {narrow}"


def _fallback(variants: Sequence[MediaVariant]) -> MediaVariant:
    fitting = [each for each in variants if each.width <= FALLBACK_WIDTH]
    return max(fitting, key=lambda each: each.width) if fitting else min(variants, key=lambda each: each.width)


def _position(files: MediaFiles) -> str:
    if (files.focal_x, files.focal_y) == (0.5, 0.5):
        return ""
    return f"{files.focal_x * 100:.4g}% {files.focal_y * 100:.4g}%"
