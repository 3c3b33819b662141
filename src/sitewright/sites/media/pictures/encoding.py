"""Encodes the variants of a picture. Runs only in decoder processes."""

import io
from collections.abc import Iterator
from typing import Any

import msgspec
from PIL import Image

from sitewright.sites.media.pictures.decoding import PILLOW_NAMES, Picture, decode, decode_frames, decode_part
from sitewright.sites.media.pictures.formats import Format, Kind
from sitewright.sites.media.pictures.headers import read_header
from sitewright.sites.media.pictures.limits import (
    MAX_ANIMATION_BYTES,
    MAX_ANIMATION_FRAMES,
    MAX_ANIMATION_WIDTH,
    MAX_VARIANT_BYTES,
)
from sitewright.sites.media.pictures.names import variant_name
from sitewright.sites.media.pictures.sizes import MAX_AVIF_WIDTH, PREVIEW_WIDTH, WIDTHS, Box, scaled, variant_widths

COMPRESSED: dict[Format, dict[str, Any]] = {
    Format.WEBP: {"quality": 80, "method": 4},
    Format.JPEG: {"quality": 82, "progressive": True, "optimize": True},
    Format.PNG: {"compress_level": 6},
    Format.AVIF: {"quality": 60, "speed": 8, "max_threads": 1},
}
KEEPING_QUALITY: dict[Format, dict[str, Any]] = {
    Format.WEBP: {"quality": 95, "method": 4},
    Format.JPEG: {"quality": 95, "progressive": True, "optimize": True, "subsampling": 0},
    Format.PNG: {"compress_level": 6},
    Format.AVIF: {"quality": 88, "speed": 8, "max_threads": 1, "subsampling": "4:4:4"},
}
PART_FORMATS = {Format.JPEG: Format.JPEG, Format.WEBP: Format.WEBP, Format.AVIF: Format.WEBP}
"""Of a part of a picture, by the picture's format; of others PNG."""


class Encoded(msgspec.Struct, frozen=True):
    name: str
    format: Format
    width: int
    height: int
    data: bytes
    animated: bool = False


class Wanted(msgspec.Struct, frozen=True):
    """Which variants to make."""

    digest: str
    kinds: frozenset[Kind]
    compress: bool
    existing: frozenset[str]
    """Names of variants that are stored already."""


def encode_preview(picture: Picture, digest: str, *, compress: bool) -> Encoded:
    """A variant of at most 960 pixels: WebP, or the fallback of an animation, whose WebP has the frames."""
    [*_, width] = variant_widths(picture.width, picture.height, PREVIEW_WIDTH)
    image = decode(picture, width)
    variant_format = fallback_format(image) if picture.frames > 1 else Format.WEBP
    data = _encode(image, variant_format, compress)
    return Encoded(variant_name(digest, width, variant_format), variant_format, image.width, image.height, data)


def encode_part(picture: Picture, picture_format: Format, digest: str, box: Box) -> Encoded:
    """A part of a picture as an original of its own, with as little loss as possible."""
    part_format = PART_FORMATS.get(picture_format, Format.PNG)
    image = decode_part(picture, box)
    data = _encode(image, part_format, compress=False)
    return Encoded(variant_name(digest, image.width, part_format), part_format, image.width, image.height, data)


def encode_variants(picture: Picture, wanted: Wanted) -> Iterator[Encoded]:
    """The largest first; each is resized from the one before. A variant of more than 32 MiB is left out."""
    kinds = set(wanted.kinds)
    if picture.frames > 1:
        kinds.discard("avif")  # browsers would prefer it, without the frames
        animation = _animation(picture, wanted) if "webp" in kinds else None
        if animation is not None:
            kinds.discard("webp")
            yield from [animation] if animation.name not in wanted.existing else []
        picture.image.seek(0)
    if kinds:
        yield from _stills(picture, kinds, wanted)


def fallback_format(image: Image.Image) -> Format:
    return Format.PNG if image.mode == "RGBA" else Format.JPEG


def _stills(picture: Picture, kinds: set[Kind], wanted: Wanted) -> Iterator[Encoded]:
    largest = WIDTHS[-1] if kinds != {"avif"} else MAX_AVIF_WIDTH
    widths = variant_widths(picture.width, picture.height, largest)
    image = decode(picture, widths[-1])
    for width in reversed(widths):
        size = scaled(picture.width, picture.height, width)
        if image.size != size:
            image = image.resize(size, Image.Resampling.LANCZOS, reducing_gap=3.0)
        for variant_format in _formats(image, kinds):
            name = variant_name(wanted.digest, width, variant_format)
            if name in wanted.existing:
                continue
            data = _encode(image, variant_format, wanted.compress)
            if len(data) <= MAX_VARIANT_BYTES:
                yield Encoded(name, variant_format, *size, data)


def _formats(image: Image.Image, kinds: set[Kind]) -> list[Format]:
    formats = {"webp": Format.WEBP, "fallback": fallback_format(image), "avif": Format.AVIF}
    return [
        formats[kind]
        for kind in ("webp", "fallback", "avif")
        if kind in kinds and (kind != "avif" or image.width <= MAX_AVIF_WIDTH)
    ]


def _animation(picture: Picture, wanted: Wanted) -> Encoded | None:
    """All frames; None if they cannot be decoded, are too many or too large, or all equal: then the first is shown."""
    if picture.frames > MAX_ANIMATION_FRAMES:
        return None
    [*_, width] = variant_widths(picture.width, picture.height, MAX_ANIMATION_WIDTH)
    plays = int(picture.image.info.get("loop", 1 if picture.image.format == "GIF" else 0))  # 0: without end
    try:
        frames, durations = zip(*decode_frames(picture, width), strict=True)
    except (OSError, EOFError, ValueError, SyntaxError):
        return None
    buffer = io.BytesIO()
    options = {**(COMPRESSED if wanted.compress else KEEPING_QUALITY)[Format.WEBP], "method": 2}
    frames[0].save(
        buffer, "WEBP", save_all=True, append_images=frames[1:], duration=list(durations), loop=plays, **options
    )
    data = buffer.getvalue()
    if len(data) > MAX_ANIMATION_BYTES or read_header(data, Format.WEBP).frames == 1:  # equal frames become one
        return None
    name = variant_name(wanted.digest, width, Format.WEBP)
    return Encoded(name, Format.WEBP, frames[0].width, frames[0].height, data, animated=True)


def _encode(image: Image.Image, variant_format: Format, compress: bool) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, PILLOW_NAMES[variant_format], **(COMPRESSED if compress else KEEPING_QUALITY)[variant_format])
    return buffer.getvalue()
