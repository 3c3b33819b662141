"""The text of the guide: chapters in each language that it was written in, with pictures."""

from functools import cache
from pathlib import Path

import msgspec

_HERE = Path(__file__).parent
PICTURES = _HERE / "pictures"
DEFAULT = "en"


class Chapter(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`steps` are done one after another, `points` in any order. `picture` is a file of `pictures/`."""

    id: str
    title: str
    text: list[str]
    steps: list[str] = []
    points: list[str] = []
    picture: str | None = None
    shows: str = ""
    """What the picture shows, for people who cannot see it."""


class Guide(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    title: str
    lead: str
    contents: str
    back: str
    chapters: list[Chapter]


class Picture(msgspec.Struct, frozen=True):
    content: bytes
    width: int
    height: int


@cache
def guides() -> dict[str, Guide]:
    """By language. Read once for each process."""
    files = sorted((_HERE / "texts").glob("*.yaml"))
    return {file.stem: msgspec.yaml.decode(file.read_bytes(), type=Guide) for file in files}


@cache
def pictures() -> dict[str, Picture]:
    """By name; a picture that was not taken yet is left out of the guide."""
    return {file.stem: _read(file) for file in sorted(PICTURES.glob("*.webp"))}


def _read(file: Path) -> Picture:
    """The size is in the header of a lossy WebP file (RFC 9649, section 2.5)."""
    content = file.read_bytes()
    width, height = (int.from_bytes(content[at : at + 2], "little") & 0x3FFF for at in (26, 28))
    return Picture(content, width, height)
