"""Width, height and number of frames, read from the structure of a file without decoding a pixel.

The library that decodes is stricter about everything else; these readers only ensure that it is never given a picture
that declares more than the limits.
"""

import struct
from collections.abc import Callable, Iterator

import msgspec

from sitewright.sites.media.pictures.boxes import avif_size
from sitewright.sites.media.pictures.formats import Format
from sitewright.sites.media.pictures.limits import PictureUnreadable, check_pixels

JPEG_FRAMES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
JPEG_ALONE = {0x01, *range(0xD0, 0xD9)}
"""Markers without a length."""
JPEG_SCAN, JPEG_END = 0xDA, 0xD9
GIF_IMAGE, GIF_EXTENSION, GIF_END = 0x2C, 0x21, 0x3B
GIF_COLORS = 0x80
WEBP_ANIMATED = 0x02


class Header(msgspec.Struct, frozen=True):
    width: int
    height: int
    frames: int = 1


def read_header(data: bytes, picture_format: Format) -> Header:
    """Raises `PictureUnreadable`, or `PictureTooLarge` for more pixels than the limit."""
    try:
        header = _READERS[picture_format](data)
    except (IndexError, struct.error, StopIteration):
        raise PictureUnreadable("The picture ends within its header.") from None
    check_pixels(header.width, header.height, header.frames)
    return header


def _png(data: bytes) -> Header:
    """The first chunk has the size; an `acTL` chunk before the pixels has the number of frames."""
    if data[12:16] != b"IHDR":
        raise PictureUnreadable("The PNG has no header.")
    width, height = struct.unpack_from(">II", data, 16)
    frames = next((struct.unpack_from(">I", data, at)[0] for name, at in _png_chunks(data) if name == b"acTL"), 1)
    return Header(width, height, max(1, frames))


def _png_chunks(data: bytes) -> Iterator[tuple[bytes, int]]:
    """Name and offset of the content of each chunk before the pixels."""
    at = 8
    while at + 8 <= len(data):
        length, name = struct.unpack_from(">I4s", data, at)
        if name == b"IDAT":
            return
        yield name, at + 8
        at += 12 + length


def _jpeg(data: bytes) -> Header:
    at = 2
    while True:
        while data[at] == 0xFF and data[at + 1] == 0xFF:  # padding
            at += 1
        if data[at] != 0xFF:
            raise PictureUnreadable("The JPEG has damaged markers.")
        marker = data[at + 1]
        if marker in JPEG_ALONE:
            at += 2
            continue
        if marker in {JPEG_SCAN, JPEG_END}:
            raise PictureUnreadable("The JPEG does not declare its size.")
        if marker in JPEG_FRAMES:
            height, width = struct.unpack_from(">HH", data, at + 5)
            return Header(width, height)
        at += 2 + max(2, struct.unpack_from(">H", data, at + 2)[0])


def _gif(data: bytes) -> Header:
    """Counts frames until the limit of pixels is exceeded; a frame may be larger than the screen."""
    width, height, flags = struct.unpack_from("<HHB", data, 6)
    at, frames = 13 + _color_table(flags), 0
    while at < len(data) and data[at] != GIF_END:
        if data[at] == GIF_IMAGE:
            left, top, frame_width, frame_height, flags = struct.unpack_from("<HHHHB", data, at + 1)
            width, height, frames = max(width, left + frame_width), max(height, top + frame_height), frames + 1
            check_pixels(width, height, frames)
            at = _after_blocks(data, at + 11 + _color_table(flags))
        elif data[at] == GIF_EXTENSION:
            at = _after_blocks(data, at + 2)
        else:
            break  # some programs append bytes
    return Header(width, height, max(1, frames))


def _color_table(flags: int) -> int:
    return 3 * 2 ** ((flags & 7) + 1) if flags & GIF_COLORS else 0


def _after_blocks(data: bytes, at: int) -> int:
    while at < len(data) and data[at]:
        at += 1 + data[at]
    return at + 1


def _webp(data: bytes) -> Header:
    name = data[12:16]
    if name == b"VP8X":
        width, height = int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
        frames = sum(1 for name in _riff_chunks(data) if name == b"ANMF") if data[20] & WEBP_ANIMATED else 1
        return Header(width, height, max(1, frames))
    if name == b"VP8L":
        bits = struct.unpack_from("<I", data, 21)[0]
        return Header((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    if name != b"VP8 " or data[23:26] != b"\x9d\x01\x2a":
        raise PictureUnreadable("The WebP has no picture.")
    width, height = struct.unpack_from("<HH", data, 26)
    return Header(width & 0x3FFF, height & 0x3FFF)


def _riff_chunks(data: bytes) -> Iterator[bytes]:
    at = 12
    while at + 8 <= len(data):
        name, length = struct.unpack_from("<4sI", data, at)
        yield name
        at += 8 + length + length % 2


def _avif(data: bytes) -> Header:
    return Header(*avif_size(data))


_READERS: dict[Format, Callable[[bytes], Header]] = {
    Format.PNG: _png,
    Format.JPEG: _jpeg,
    Format.GIF: _gif,
    Format.WEBP: _webp,
    Format.AVIF: _avif,
}
