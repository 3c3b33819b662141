"""The content decides what a file is, and its header whether it may be decoded."""

from typing import Any

import pytest

from sitewright.sites.media.pictures.formats import Format, detect
from sitewright.sites.media.pictures.headers import read_header
from sitewright.sites.media.pictures.limits import PictureTooLarge, PictureUnreadable, check_pixels
from tests.support.hostile_pictures import avif_declaring, bombs, gif, jpeg_header, png, webp_canvas
from tests.support.pictures import SVG, animation, picture, samples

RASTER = [Format.JPEG, Format.PNG, Format.GIF, Format.WEBP, Format.AVIF]
ANIMATED = [Format.GIF, Format.WEBP, Format.PNG, Format.AVIF]
LIMIT = 50_000_000


@pytest.mark.parametrize("name", samples())
def test_every_format_is_detected_from_its_content(name: str) -> None:
    detected = detect(samples()[name][:256])
    assert detected is not None
    assert detected.name in name.upper()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff",
        b"BM" + bytes(60),
        b"%PDF-1.7",
        b"PK\x03\x04",
        b"II*\0" + bytes(60),
        b"<html><svg/></html>",
        b"\0\0\0\x18ftypheic\0\0\0\0mif1heic",
        b"\x1f\x8b\x08" + bytes(40),
    ],
)
def test_other_content_is_not_a_picture(content: bytes) -> None:
    assert detect(content) is None


@pytest.mark.parametrize(
    "beginning", [b"\xef\xbb\xbf  <svg ", b"\n<?xml version='1.0'?>", "<svg ".encode("utf-16"), b"<s:svg xmlns:s="]
)
def test_svg_is_detected_behind_marks_and_white_space(beginning: bytes) -> None:
    assert detect(beginning) is Format.SVG


@pytest.mark.parametrize("picture_format", RASTER)
def test_the_size_is_read_from_the_header(picture_format: Format) -> None:
    header = read_header(picture(picture_format, 61, 37), picture_format)
    assert (header.width, header.height, header.frames) == (61, 37, 1)


@pytest.mark.parametrize("options", [{"lossless": True}, {"exif": b"Exif\0\0"}])
def test_the_size_of_every_kind_of_webp_is_read(options: dict[str, Any]) -> None:
    header = read_header(picture(Format.WEBP, 61, 37, **options), Format.WEBP)
    assert (header.width, header.height) == (61, 37)


@pytest.mark.parametrize("picture_format", ANIMATED)
def test_frames_are_counted(picture_format: Format) -> None:
    assert read_header(animation(picture_format, 5), picture_format).frames == 5


@pytest.mark.parametrize(
    ("picture_format", "data"),
    [
        (Format.PNG, png(10_000, 5_001)),
        (Format.JPEG, jpeg_header(10_000, 5_001)),
        (Format.GIF, gif(10_000, 5_001, 1)),
        (Format.GIF, gif(1_000, 1_000, 51)),
        (Format.WEBP, webp_canvas(10_000, 5_001)),
        (Format.AVIF, avif_declaring(10_000, 5_001)),
        (Format.PNG, bombs()["PNG with 4 billion frames"]),
    ],
)
def test_more_than_fifty_megapixels_are_refused_from_the_header(picture_format: Format, data: bytes) -> None:
    with pytest.raises(PictureTooLarge, match="50 megapixels"):
        read_header(data, picture_format)


def test_exactly_fifty_megapixels_are_accepted() -> None:
    check_pixels(10_000, 5_000)
    check_pixels(1_000, 1_000, 50)


@pytest.mark.parametrize("picture_format", RASTER)
def test_a_header_that_ends_early_is_unreadable(picture_format: Format) -> None:
    """Every beginning of a file has a size within the limits, or is refused: no other error."""
    data = picture(picture_format)
    for length in range(min(len(data), 400)):
        try:
            header = read_header(data[:length], picture_format)
        except (PictureUnreadable, PictureTooLarge):
            continue
        assert header.width * header.height * header.frames <= LIMIT


def test_svg_is_text_and_has_a_media_type() -> None:
    assert detect(SVG) is Format.SVG
    assert [each.mime_type for each in Format] == [
        *("image/jpeg", "image/png", "image/gif", "image/webp", "image/avif", "image/svg+xml")
    ]
