"""The formats of pictures, detected from the content only: file name and media type are whatever the client says."""

from enum import StrEnum
from typing import Literal

DETECTION_BYTES = 256
"""How much of the beginning of a file `detect` needs."""


class Format(StrEnum):
    """The values are file extensions."""

    JPEG = "jpg"
    PNG = "png"
    GIF = "gif"
    WEBP = "webp"
    AVIF = "avif"
    SVG = "svg"

    @property
    def mime_type(self) -> str:
        return {"jpg": "image/jpeg", "svg": "image/svg+xml"}.get(self.value, f"image/{self.value}")


Kind = Literal["webp", "fallback", "avif"]
"""What variants are wanted: WebP, JPEG or PNG for browsers without it, and AVIF."""
_BYTE_ORDER_MARKS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


def detect(beginning: bytes) -> Format | None:
    """The format that the first `DETECTION_BYTES` announce; the rest may still be unreadable."""
    if beginning.startswith(b"\xff\xd8\xff"):
        return Format.JPEG
    if beginning.startswith(b"\x89PNG\r\n\x1a\n"):
        return Format.PNG
    if beginning.startswith((b"GIF87a", b"GIF89a")):
        return Format.GIF
    if beginning.startswith(b"RIFF") and beginning[8:12] == b"WEBP":
        return Format.WEBP
    if beginning[4:8] == b"ftyp" and _has_avif_brand(beginning):
        return Format.AVIF
    return Format.SVG if _begins_like_svg(beginning[:DETECTION_BYTES]) else None


def _has_avif_brand(beginning: bytes) -> bool:
    box = beginning[8 : max(16, int.from_bytes(beginning[:4]))]
    brands = [box[:4], *(box[at : at + 4] for at in range(8, len(box), 4))]
    return b"avif" in brands or b"avis" in brands


def _begins_like_svg(beginning: bytes) -> bool:
    """XML, or the root element itself; the parser then checks that the root is `svg`."""
    encoding, mark = next(
        ((name, mark) for mark, name in _BYTE_ORDER_MARKS.items() if beginning.startswith(mark)), ("utf-8", b"")
    )
    text = beginning[len(mark) :].decode(encoding, errors="ignore").lstrip(" \t\r\n")
    return text.startswith(("<?xml", "<svg", "<!--", "<!DOCTYPE svg")) or (text[:1] == "<" and ":svg" in text[:80])
