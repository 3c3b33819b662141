"""What decoder processes are asked for, and what they return; the frames of the protocol are written by both sides."""

from typing import Literal

import msgspec

from sitewright.sites.media.pictures.formats import Format, Kind
from sitewright.sites.media.pictures.sizes import Box

LENGTH_BYTES = 4
MAX_RESULT_BYTES = 64 * 1024
"""Of a result without the bytes of its variants."""
Work = Literal["inspect", "preview", "variants", "crop"]


class Task(msgspec.Struct, frozen=True):
    """The picture follows as `source_bytes` bytes, unless `path` names a file."""

    work: Work
    source_bytes: int
    path: str
    compress: bool
    cpu_seconds: int
    wall_seconds: int
    kinds: list[Kind] = []
    existing: list[str] = []
    box: Box | None = None


class Inspection(msgspec.Struct, frozen=True):
    """What an upload is, as shown: with its orientation applied."""

    format: Format
    width: int
    height: int
    frames: int
    digest: str
    """Begins the names of all variants."""

    @property
    def mime_type(self) -> str:
        return self.format.mime_type


class VariantHeader(msgspec.Struct, frozen=True):
    name: str
    format: Format
    width: int
    height: int
    animated: bool
    bytes: int


class Result(msgspec.Struct, frozen=True):
    """The bytes of the variants follow, in the same order."""

    inspection: Inspection | None = None
    variants: list[VariantHeader] = []
    problem: Literal["", "tooLarge", "unreadable"] = ""
    detail: str = ""
    """For people; empty for the problem's own text."""
    cause: str = ""
    """For the log."""
    peak_kib: int = 0
    """The most memory that the process used."""


def framed(message: Task | Result) -> bytes:
    encoded = msgspec.msgpack.encode(message)
    return len(encoded).to_bytes(LENGTH_BYTES) + encoded
