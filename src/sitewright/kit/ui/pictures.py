"""Small pictures that are stored as data URLs, like a brand's logo. Their type is verified by their content."""

import base64
import binascii
import re

import msgspec

MAX_BYTES = 64 * 1024
_DATA_URL = re.compile(r"data:(?P<type>image/[a-z0-9.+-]+);base64,(?P<content>[A-Za-z0-9+/=\s]+)")
SVG_PROLOGUE_BYTES = 2000


class Picture(msgspec.Struct, frozen=True):
    media_type: str
    content: bytes

    @property
    def data_url(self) -> str:
        return f"data:{self.media_type};base64,{base64.b64encode(self.content).decode()}"


def parse_data_url(text: str) -> Picture | None:
    """None where it is not a picture of a known type, or too large."""
    found = _DATA_URL.fullmatch(text)
    if found is None:
        return None
    try:
        content = base64.b64decode("".join(found["content"].split()), validate=True)
    except binascii.Error:
        return None
    picture = picture_of(content)
    return picture if picture is not None and picture.media_type == found["type"] else None


def picture_of(content: bytes) -> Picture | None:
    """A picture whose type is recognized from its first bytes."""
    media_type = _media_type(content)
    return None if media_type is None or len(content) > MAX_BYTES else Picture(media_type, content)


def _media_type(content: bytes) -> str | None:
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if content.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if content.startswith(b"RIFF") and content[8:12] == b"WEBP":
        return "image/webp"
    if content.startswith(b"\x00\x00\x01\x00"):
        return "image/x-icon"
    return "image/svg+xml" if _is_svg(content) else None


def _is_svg(content: bytes) -> bool:
    """Its element follows at most a declaration, a document type and comments."""
    start = content.lstrip()[:SVG_PROLOGUE_BYTES]
    return start.startswith((b"<svg", b"<?", b"<!")) and b"<svg" in start
