"""The boxes of AVIF files (ISO 14496-12): the largest declared size, and the number of frames."""

import struct
from collections.abc import Iterator

from sitewright.sites.media.pictures.limits import PictureUnreadable

CONTAINERS = {b"meta": 4, b"iprp": 0, b"ipco": 0, b"moov": 0, b"trak": 0, b"mdia": 0, b"minf": 0, b"stbl": 0}
"""Boxes that contain boxes, and how many bytes precede those."""
MAX_BOXES = 10_000


def avif_size(data: bytes) -> tuple[int, int, int]:
    """Width, height and frames. A grid declares its size next to those of its tiles: the largest counts."""
    width, height, frames = 0, 0, 1
    for count, (name, begin, end) in enumerate(_boxes(data, 0, len(data))):
        if count > MAX_BOXES:
            raise PictureUnreadable("The AVIF has too many parts.")
        if name == b"ispe" and end - begin >= 12:
            own_width, own_height = struct.unpack_from(">II", data, begin + 4)
            if own_width * own_height > width * height:
                width, height = own_width, own_height
        elif name == b"stsz" and end - begin >= 12:
            frames = max(frames, struct.unpack_from(">I", data, begin + 8)[0])
    if not width:
        raise PictureUnreadable("The AVIF does not declare its size.")
    return width, height, frames


def _boxes(data: bytes, begin: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    """Every box, also those in containers: its name, and where its content begins and ends."""
    pending = [(begin, end)]
    while pending:
        at, end = pending.pop()
        while at + 8 <= end:
            length, name = struct.unpack_from(">I4s", data, at)
            content = at + 8
            if length == 1:
                length, content = struct.unpack_from(">Q", data, content)[0], at + 16
            box_end = end if length == 0 else at + length
            if not content <= box_end <= end:
                break
            yield name, content, box_end
            if name in CONTAINERS:
                pending.append((content + CONTAINERS[name], box_end))
            at = box_end
