"""Generates malformed, truncated, mislabelled, huge, animated and hostile pictures, the same ones for the same seed."""

import struct
import zlib
from collections.abc import Callable
from functools import cache
from random import Random

from sitewright.sites.media.pictures.formats import Format
from tests.support.hostile_svg import ATTACKS, hostile_svgs, svg
from tests.support.pictures import CANARY, animation, picture, samples

HUGE = (0, 1, 7, 255, 8_000, 16_383, 16_384, 30_000, 65_535, 2**24 - 1, 2**31 - 1, 2**32 - 1)
MAGIC = (b"\xff\xd8\xff\xe0", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"RIFF\0\0\0\0WEBP", b"\0\0\0\x1cftypavif", b"<svg ")
APPENDED = (b"PK\x03\x04", b"<script>alert(1)</script>", b"<?php echo 1 ?>", b"%PDF-1.7", b"MZ\x90\0", CANARY)
LARGE = {"PNG of 49 megapixels", "AVIF of 7000 x 7000"}
"""Bombs within the limits, whose pixels are decoded."""


def case(seed: int) -> tuple[str, bytes]:
    """What it is, and its bytes."""
    random = Random(seed)  # noqa: S311 - reproducible on purpose
    kind, generate = random.choice(list(_GENERATORS.items()))
    return kind, generate(random)


def _valid(random: Random) -> bytes:
    return random.choice(list(samples().values()))


def _flipped(random: Random) -> bytes:
    data = bytearray(_valid(random))
    reach = random.choice([len(data), min(len(data), 64), min(len(data), 300)])
    for _ in range(random.randint(1, 16)):
        data[random.randrange(reach)] ^= 1 << random.randrange(8)
    return bytes(data)


def _truncated(random: Random) -> bytes:
    data = _valid(random)
    return data[: random.randrange(len(data))]


def _spliced(random: Random) -> bytes:
    one, other = _valid(random), _valid(random)
    return one[: random.randrange(len(one))] + other[random.randrange(len(other)) :]


def _overwritten(random: Random) -> bytes:
    data = bytearray(_valid(random))
    at = random.randrange(len(data))
    data[at : at + random.randint(0, 40)] = random.choice([b"", b"\0" * 40, b"\xff" * 40, random.randbytes(40)])
    return bytes(data)


def _repeated(random: Random) -> bytes:
    data = _valid(random)
    at, length = random.randrange(len(data)), random.randint(1, 200)
    return data[:at] + data[at : at + length] * random.randint(2, 500) + data[at:]


def _resized_number(random: Random) -> bytes:
    """A number of the structure, at a place where headers have them, becomes another."""
    data = bytearray(_valid(random))
    size, order = random.choice([2, 3, 4]), random.choice(["little", "big"])
    at = random.randrange(min(len(data), 400))
    value = random.choice(HUGE) % 256**size
    data[at : at + size] = value.to_bytes(size, "little" if order == "little" else "big")
    return bytes(data)


def _mislabelled(random: Random) -> bytes:
    return random.choice(MAGIC) + random.choice([_valid(random), _valid(random)[16:], random.randbytes(100), b""])


def _polyglot(random: Random) -> bytes:
    data, extra = _valid(random), random.choice(APPENDED) * random.randint(1, 50)
    return data + extra if random.random() < 0.8 else extra + data


def _noise(random: Random) -> bytes:
    return random.choice([b"", *MAGIC]) + random.randbytes(random.choice([0, 1, 12, 300, 5_000]))


def _bomb(random: Random) -> bytes:
    """Sometimes damaged. Those that are decoded take seconds, so they are rare."""
    names = sorted(bombs()) if random.random() < 0.02 else sorted(set(bombs()) - LARGE)
    data = bytearray(bombs()[random.choice(names)])
    for _ in range(random.choice([0, 1, 4])):
        data[random.randrange(min(len(data), 80))] ^= 1 << random.randrange(8)
    return bytes(data)


def _svg(random: Random) -> bytes:
    """One of the attacks, or several in one file, which may be damaged."""
    if random.random() < 0.2:
        return random.choice(list(hostile_svgs().values()))
    content = "".join(random.sample(list(ATTACKS.values()), random.randint(2, 6)))
    data = svg(f'<g transform="scale({random.randint(1, 9)})">{content}</g>')
    at = random.randrange(len(data)) if random.random() < 0.4 else len(data)
    return data[:at] + random.choice([b"", b"<", b'"', b"\0", b"]]>", b"</g>", b"&#0;"]) + data[at + 1 :]


def _another(random: Random) -> bytes:
    """A valid picture of any size and kind."""
    width, height = random.randint(1, 90), random.randint(1, 90)
    picture_format = random.choice([Format.JPEG, Format.PNG, Format.GIF, Format.WEBP, Format.AVIF])
    if random.random() < 0.3 and picture_format is not Format.JPEG:
        return animation(picture_format, random.randint(2, 6), width, height)
    modes = {Format.JPEG: ["RGB", "L", "CMYK"], Format.PNG: ["RGB", "RGBA", "P", "LA", "1"]}
    return picture(picture_format, width, height, random.choice(modes.get(picture_format, ["RGB", "RGBA"])))


_GENERATORS: dict[str, Callable[[Random], bytes]] = {
    "valid": _another,
    "bits flipped": _flipped,
    "truncated": _truncated,
    "spliced": _spliced,
    "overwritten": _overwritten,
    "repeated": _repeated,
    "numbers changed": _resized_number,
    "mislabelled": _mislabelled,
    "polyglot": _polyglot,
    "noise": _noise,
    "bomb": _bomb,
    "hostile SVG": _svg,
}


def png_chunk(name: bytes, content: bytes, length: int | None = None) -> bytes:
    declared = len(content) if length is None else length
    return struct.pack(">I", declared) + name + content + struct.pack(">I", zlib.crc32(name + content))


def png(width: int, height: int, *chunks: bytes, pixels: bytes = b"\0\0\0\0") -> bytes:
    """8-bit RGB, with these chunks between header and pixels."""
    header = png_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    content = png_chunk(b"IDAT", zlib.compress(pixels, 9))
    return b"\x89PNG\r\n\x1a\n" + header + b"".join(chunks) + content + png_chunk(b"IEND", b"")


def gif(width: int, height: int, frames: int) -> bytes:
    """Every frame is one pixel, drawn in the corner."""
    frame = b"\x21\xf9\x04\0\0\0\0\0" + b"\x2c\0\0\0\0\x01\0\x01\0\0" + b"\x02\x02\x44\x01\0"
    return b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + b"\0\0\0\xff\xff\xff" + frame * frames + b";"


def jpeg_header(width: int, height: int) -> bytes:
    frame = b"\xff\xc0\x00\x11\x08" + struct.pack(">HH", height, width) + b"\x03\x01\x11\x00\x02\x11\x00\x03\x11\x00"
    return b"\xff\xd8" + frame + b"\xff\xda\x00\x0c\x03\x01\x00\x02\x00\x03\x00\x00\x3f\x00" + b"\0" * 64 + b"\xff\xd9"


def webp_canvas(width: int, height: int, flags: int = 0) -> bytes:
    size = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    chunks = b"VP8X" + struct.pack("<I", 10) + bytes([flags, 0, 0, 0]) + size
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WEBP" + chunks


def box(name: bytes, content: bytes, length: int | None = None) -> bytes:
    return struct.pack(">I", 8 + len(content) if length is None else length) + name + content


def avif_declaring(width: int, height: int) -> bytes:
    """The valid sample with another size."""
    data = samples()["AVIF with metadata"]
    at = data.index(b"ispe") + 8
    return data[:at] + struct.pack(">II", width, height) + data[at + 8 :]


@cache
def bombs() -> dict[str, bytes]:
    """Small files that declare or expand to far too much."""
    ftyp = box(b"ftyp", b"avif\0\0\0\0avifmif1")
    zeros = zlib.compress(bytes(64 * 1024 * 1024), 9)
    return {
        "PNG of 65535 x 65535": png(65_535, 65_535),
        "PNG of 4 billion pixels a side": png(2**32 - 1, 2**32 - 1),
        "PNG with more pixels than declared": png(4, 4, pixels=bytes(32 * 1024 * 1024)),
        "PNG with 2 GB of text declared": png(4, 4, png_chunk(b"tEXt", b"Comment\0x", 2**31 - 1)),
        "PNG with a text bomb": png(4, 4, png_chunk(b"zTXt", b"Comment\0\0" + zeros)),
        "PNG with a profile bomb": png(4, 4, png_chunk(b"iCCP", b"icc\0\0" + zeros)),
        "PNG with 4 billion frames": png(4, 4, png_chunk(b"acTL", struct.pack(">II", 2**32 - 1, 0))),
        "PNG of 49 megapixels": png(7_000, 7_000, pixels=bytes(7_000 * 21_001)),
        "PNG of 51 megapixels": png(8_500, 6_000),
        "GIF of 65535 x 65535": gif(65_535, 65_535, 1),
        "GIF of 100,000 frames": gif(1, 1, 100_000),
        "GIF of 2,000 frames": gif(1, 1, 2_000),
        "GIF of 400 large frames": gif(1_000, 1_000, 400),
        "GIF without an end": gif(10, 10, 3)[:-1] + b"\x21\xfe\x01" * 1_000,
        "JPEG of 65535 x 65535": jpeg_header(65_535, 65_535),
        "JPEG of 7000 x 7000 without pixels": jpeg_header(7_000, 7_000),
        "WebP of 16 million pixels a side": webp_canvas(2**24, 2**24),
        "WebP of 7000 x 7000 without pixels": webp_canvas(7_000, 7_000),
        "WebP with an animation that is not there": webp_canvas(1_000, 1_000, 2),
        "AVIF of 65535 x 65535": avif_declaring(65_535, 65_535),
        "AVIF of 7000 x 7000": avif_declaring(7_000, 7_000),
        "AVIF of nothing": avif_declaring(0, 0),
        "AVIF with a box that contains itself": ftyp + box(b"meta", b"\0\0\0\0" + box(b"iprp", b"", 8) * 20_000),
        "AVIF with a 64-bit length": ftyp + struct.pack(">I4sQ", 1, b"meta", 2**63),
        "AVIF with boxes of no length": ftyp + box(b"meta", bytes(4) + box(b"ispe", bytes(12), 0)) * 50,
    }
