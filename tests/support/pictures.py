"""Pictures for tests, generated with Pillow, and what is checked of every variant."""

import io
import re
import struct
from functools import cache
from random import Random
from typing import Any
from xml.etree import ElementTree

from PIL import Image, ImageCms, PngImagePlugin

from sitewright.sites.media.pictures.service import Format, Variant
from sitewright.sites.media.pictures.svg.allowed import ELEMENTS

CANARY = b"GPS-CANARY-52.5163N"
"""In the metadata of pictures: no variant may contain it."""
ORIENTATION, GPS, DESCRIPTION = 0x0112, 0x8825, 0x010E
SVG = b"""<?xml version="1.0"?><!-- GPS-CANARY-52.5163N -->
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 30" width="40"><style>.a{fill:url(#g)}</style>
<defs><linearGradient id="g"><stop offset="0" stop-color="red"/></linearGradient></defs>
<rect class="a" width="20" height="10" style="stroke:#123;stroke-width:2px"/>
<text x="1" y="20">A &amp; B</text></svg>"""
_NAMES = {Format.JPEG: "JPEG", Format.PNG: "PNG", Format.GIF: "GIF", Format.WEBP: "WEBP", Format.AVIF: "AVIF"}
_UNSAFE = re.compile(rb"<!|javascript:|@import|\bon\w+\s*=|url\(\s*[\"']?[^#\"'\s]|https?:(?!//www\.w3\.org/2000/svg)")


def drawn(width: int, height: int, mode: str = "RGB") -> Image.Image:
    """A gradient with noise, always the same ones; the left half of an alpha channel is transparent."""
    noise = Image.frombytes("L", (width, height), Random(width).randbytes(width * height))  # noqa: S311
    gradient, round_gradient = (
        each("L").resize((width, height)) for each in (Image.linear_gradient, Image.radial_gradient)
    )
    image = Image.merge("RGB", [gradient, Image.blend(gradient, noise, 0.3), round_gradient])
    if mode == "RGBA":
        alpha = Image.new("L", (width, height), 255)
        alpha.paste(0, (0, 0, width // 2, height))
        image.putalpha(alpha)
        return image
    return image.convert(mode)


def encoded(image: Image.Image, picture_format: Format, **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, _NAMES[picture_format], **options)
    return buffer.getvalue()


def picture(picture_format: Format, width: int = 48, height: int = 36, mode: str = "RGB", **options: Any) -> bytes:
    if picture_format is Format.GIF:
        mode = "P"
    return encoded(drawn(width, height, mode), picture_format, **options)


def animation(picture_format: Format, frames: int = 4, width: int = 48, height: int = 36) -> bytes:
    made = [Image.new("RGB", (width, height), (250 - 50 * (each % 5), 60 * (each % 4), each)) for each in range(frames)]
    return encoded(made[0], picture_format, save_all=True, append_images=made[1:], duration=80, loop=0)


def with_metadata(picture_format: Format, width: int = 48, height: int = 36, orientation: int = 1) -> bytes:
    """EXIF with a place, XMP, a color profile, and a comment or text where the format has them."""
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    exif[DESCRIPTION] = CANARY.decode()
    exif.get_ifd(GPS)[0x001D] = CANARY.decode()
    options: dict[str, Any] = {"icc_profile": ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()}
    if picture_format is Format.PNG:
        options["pnginfo"] = PngImagePlugin.PngInfo()
        options["pnginfo"].add_text("Comment", CANARY.decode(), zip=True)
        options["pnginfo"].add_itxt("XML:com.adobe.xmp", f"<x>{CANARY.decode()}</x>")
    else:
        options["xmp"] = b"<x>" + CANARY + b"</x>"
    if picture_format in {Format.JPEG, Format.GIF}:
        options["comment"] = CANARY
    if picture_format is Format.GIF:
        return picture(picture_format, width, height, comment=CANARY)
    return picture(picture_format, width, height, exif=exif.tobytes(), **options)


def profile_with_exchanged_primaries() -> bytes:
    """A color profile in which red is what sRGB calls green, and green red."""
    red, green, blue = (0.4361, 0.2225, 0.0139), (0.3851, 0.7169, 0.0971), (0.1431, 0.0606, 0.7141)
    curve = b"curv" + struct.pack(">II", 0, 1) + struct.pack(">HH", 0x0233, 0)  # a gamma of 2.2
    points = {b"wtpt": (0.9642, 1.0, 0.8249), b"rXYZ": green, b"gXYZ": red, b"bXYZ": blue}
    tags = {
        name: b"XYZ " + struct.pack(">I3i", 0, *(round(each * 65536) for each in xyz)) for name, xyz in points.items()
    }
    tags |= dict.fromkeys([b"rTRC", b"gTRC", b"bTRC"], curve)
    table, content, at = struct.pack(">I", len(tags)), b"", 128 + 4 + 12 * len(tags)
    for name, tag in tags.items():
        table += name + struct.pack(">II", at + len(content), len(tag))
        content += tag
    body = table + content
    header = struct.pack(">I4sI4s4s4s", 128 + len(body), b"test", 0x02400000, b"mntr", b"RGB ", b"XYZ ") + bytes(12)
    header += b"acsp" + bytes(28) + struct.pack(">3i", 63190, 65536, 54061)
    return header.ljust(128, b"\0") + body


def decoded(variant: Variant) -> Image.Image:
    image = Image.open(io.BytesIO(variant.data))
    image.load()
    return image


def check_harmless(variant: Variant) -> None:
    """It can be decoded, has the declared size and format, and contains no metadata."""
    assert CANARY not in variant.data
    if variant.format is Format.SVG:
        _check_svg(variant.data)
        return
    image = decoded(variant)
    assert (image.format, image.size) == (_NAMES[variant.format], (variant.width, variant.height))
    assert image.mode in {"RGB", "RGBA"}
    assert not dict(image.getexif())
    assert not {"exif", "xmp", "icc_profile", "comment", "photoshop"} & set(image.info)
    assert variant.format is not Format.PNG or not getattr(image, "text", {})
    assert getattr(image, "is_animated", False) is variant.animated
    assert variant.name.endswith(f"-{variant.width}.{variant.format}")


def _check_svg(data: bytes) -> None:
    assert _UNSAFE.search(data) is None, _UNSAFE.search(data)
    for element in ElementTree.fromstring(data).iter():  # noqa: S314 - our own output
        assert element.tag.removeprefix("{http://www.w3.org/2000/svg}") in ELEMENTS
        assert element.attrib.get("href", "#").startswith("#")


@cache
def samples() -> dict[str, bytes]:
    """One small valid picture of every kind."""
    lossy = (Format.JPEG, Format.PNG, Format.WEBP, Format.AVIF)
    return {
        **{f"{each.name} with metadata": with_metadata(each, orientation=6) for each in (*lossy, Format.GIF)},
        **{f"transparent {each.name}": picture(each, mode="RGBA") for each in lossy[1:]},
        **{f"animated {each.name}": animation(each) for each in (Format.GIF, Format.WEBP, Format.PNG, Format.AVIF)},
        "progressive JPEG": picture(Format.JPEG, progressive=True),
        "CMYK JPEG": picture(Format.JPEG, mode="CMYK"),
        "gray JPEG": picture(Format.JPEG, mode="L"),
        "lossless WebP": picture(Format.WEBP, lossless=True),
        "palette PNG": picture(Format.PNG, mode="P"),
        "gray PNG with transparency": picture(Format.PNG, mode="LA"),
        "16-bit PNG": encoded(Image.new("I;16", (48, 36), 40_000), Format.PNG),
        "black and white PNG": picture(Format.PNG, mode="1"),
        "SVG": SVG,
    }
