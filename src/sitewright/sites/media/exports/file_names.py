"""Names of pictures as files of an archive, which are safe to unpack on every system."""

import re
import unicodedata

from sitewright.sites.media.pictures.formats import Format

FOLDER = "pictures"
MAX_BYTES = 150
"""Of the name itself, in UTF-8. File systems allow 255 for the whole."""
_REFUSED = re.compile(r'[/\\:*?"<>|]')
_EXTENSIONS = {each.mime_type: {each.value} for each in Format} | {"image/jpeg": {"jpg", "jpeg"}}


def file_name(ref: int, name: str, mime_type: str) -> str:
    """Like `pictures/17-cat.jpg`. The ref makes it unique; the extension is that of the picture's format."""
    extensions = _EXTENSIONS.get(mime_type, set())
    base, dot, extension = _safe(name).rpartition(".")
    if not dot or extension.lower() not in extensions:
        base, extension = _safe(name), min(extensions, key=len, default="")
    suffix = f".{extension}" if extension else ""
    return f"{FOLDER}/{ref}-{_cut(base, MAX_BYTES - len(suffix)) or 'picture'}{suffix}"


def _safe(name: str) -> str:
    """Without separators of paths, control and direction characters, and dots or spaces at its ends."""
    text = _REFUSED.sub("_", unicodedata.normalize("NFC", name))
    return "".join(each if each.isprintable() else "_" for each in text).strip(". ")


def _cut(text: str, size: int) -> str:
    return text.encode()[:size].decode(errors="ignore").strip(". ")
