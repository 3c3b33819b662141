"""Cropping: a part of a picture becomes a picture of its own, without what lies outside of it."""

import io

import pytest
from PIL import Image

from sitewright.sites.media.cropping import box_of
from sitewright.sites.media.pictures.service import Box, Format, Pictures
from sitewright.sites.media.schemas import MediaCrop
from tests.support.pictures import CANARY, ORIENTATION, encoded, picture

RED, BLUE = (200, 0, 0), (0, 0, 200)


def halves(width: int = 80, height: int = 40) -> Image.Image:
    """The left half is red, the right one blue."""
    image = Image.new("RGB", (width, height), RED)
    image.paste(BLUE, (width // 2, 0, width, height))
    return image


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (MediaCrop(0, 0, 1, 1), Box(0, 0, 80, 40)),
        (MediaCrop(0.25, 0.5, 0.5, 0.25), Box(20, 20, 60, 30)),
        (MediaCrop(0.5, 0.5, 1, 1), Box(40, 20, 80, 40)),
        (MediaCrop(1, 1, 0.001, 0.001), Box(79, 39, 80, 40)),
        (MediaCrop(0.5, 0.5, 0.001, 0.001), Box(40, 20, 41, 21)),
    ],
)
def test_a_part_lies_within_the_picture(part: MediaCrop, expected: Box) -> None:
    assert box_of(part, 80, 40) == expected


@pytest.fixture
async def pictures() -> Pictures:
    return Pictures(1)


@pytest.mark.parametrize(
    ("picture_format", "kept"),
    [
        (Format.JPEG, "JPEG"),
        (Format.PNG, "PNG"),
        (Format.GIF, "PNG"),
        (Format.WEBP, "WEBP"),
        (Format.AVIF, "WEBP"),
    ],
)
async def test_every_format_is_cropped(pictures: Pictures, picture_format: Format, kept: str) -> None:
    part = await pictures.crop(picture(picture_format, 60, 40), 1, Box(10, 5, 40, 25))
    await pictures.close()
    with Image.open(io.BytesIO(part)) as image:
        assert (image.format, image.size) == (kept, (30, 20))


async def test_the_part_is_of_the_upright_picture_and_has_no_metadata(pictures: Pictures) -> None:
    exif = Image.Exif()
    exif[ORIENTATION] = 6  # shown turned by 90 degrees: red is at the top
    exif[0x010E] = CANARY.decode()
    data = encoded(halves(), Format.JPEG, exif=exif, quality=95)
    part = await pictures.crop(data, 1, Box(0, 0, 40, 30))
    await pictures.close()
    assert CANARY not in part
    with Image.open(io.BytesIO(part)) as image:
        assert image.size == (40, 30)
        red, _, blue = image.convert("RGB").resize((1, 1)).tobytes()
    assert (red > 150, blue > 150) == (True, False)
