"""Variants of real pictures, made by real processes: sizes, formats, orientation, colors, metadata, animations."""

from pathlib import Path

import pytest
from PIL import Image

from sitewright.sites.media.errors import MediaTooLarge, MediaUnreadable
from sitewright.sites.media.pictures.service import Format, Kind, Pictures, Variant
from tests.support.pictures import (
    SVG,
    animation,
    check_harmless,
    decoded,
    drawn,
    encoded,
    picture,
    profile_with_exchanged_primaries,
    samples,
    with_metadata,
)

BRAND = 1
RASTER = [Format.JPEG, Format.PNG, Format.GIF, Format.WEBP, Format.AVIF]
ALL_KINDS: tuple[Kind, ...] = ("webp", "fallback", "avif")


def sizes(variants: list[Variant], variant_format: Format) -> list[tuple[int, int]]:
    return sorted((each.width, each.height) for each in variants if each.format is variant_format)


@pytest.mark.parametrize("name", samples())
async def test_every_kind_of_picture_becomes_harmless_variants(name: str, pictures: Pictures) -> None:
    preview = await pictures.preview(samples()[name], BRAND)
    variants = await pictures.variants(samples()[name], BRAND, ALL_KINDS)
    assert variants
    for each in (preview.variant, *variants):
        check_harmless(each)
        assert each.name.startswith(f"{preview.inspection.digest}-")


async def test_variants_have_the_fixed_widths(pictures: Pictures) -> None:
    variants = await pictures.variants(picture(Format.JPEG, 1300, 650), BRAND, ALL_KINDS)
    expected = [(320, 160), (640, 320), (960, 480), (1300, 650)]
    assert {each: sizes(variants, each) for each in (Format.WEBP, Format.JPEG, Format.AVIF)} == {
        Format.WEBP: expected,
        Format.JPEG: expected,
        Format.AVIF: expected,
    }
    assert sizes(variants, Format.PNG) == []


async def test_avif_ends_at_1920_pixels_and_the_others_at_2560(pictures: Pictures) -> None:
    flat = encoded(Image.new("RGB", (3000, 60), "teal"), Format.PNG)
    assert sizes(await pictures.variants(flat, BRAND, ["avif"]), Format.AVIF)[-1] == (1920, 38)
    assert sizes(await pictures.variants(flat, BRAND, ["webp"]), Format.WEBP)[-1] == (2560, 51)


async def test_the_preview_has_at_most_960_pixels(pictures: Pictures) -> None:
    large = await pictures.preview(picture(Format.JPEG, 1200, 600), BRAND)
    assert (large.inspection.width, large.inspection.height, large.inspection.mime_type) == (1200, 600, "image/jpeg")
    assert (large.variant.width, large.variant.height, large.variant.mime_type) == (960, 480, "image/webp")
    small = await pictures.preview(picture(Format.PNG, 70, 50), BRAND)
    assert (small.variant.width, small.variant.height) == (70, 50)


async def test_transparent_pictures_fall_back_to_png(pictures: Pictures) -> None:
    variants = await pictures.variants(picture(Format.WEBP, mode="RGBA"), BRAND, ALL_KINDS)
    assert {each.format for each in variants} == {Format.WEBP, Format.PNG, Format.AVIF}
    assert {decoded(each).mode for each in variants} == {"RGBA"}
    assert {decoded(each).getpixel((2, 2))[3] < 20 for each in variants} == {True}  # type: ignore[index]


async def test_an_alpha_channel_without_transparency_falls_back_to_jpeg(pictures: Pictures) -> None:
    opaque = drawn(48, 36)
    opaque.putalpha(255)
    variants = await pictures.variants(encoded(opaque, Format.PNG), BRAND, ["fallback"])
    assert [each.format for each in variants] == [Format.JPEG]


@pytest.mark.parametrize("orientation", range(1, 9))
async def test_the_orientation_is_applied(orientation: int, pictures: Pictures) -> None:
    """The red corner of the stored picture appears where the orientation puts it."""
    stored = Image.new("RGB", (64, 32), "white")
    stored.paste("red", (0, 0, 16, 16))
    exif = Image.Exif()
    exif[0x0112] = orientation
    data = encoded(stored, Format.JPEG, exif=exif.tobytes(), quality=95)
    preview = await pictures.preview(data, BRAND)
    width, height = (64, 32) if orientation < 5 else (32, 64)
    assert (preview.inspection.width, preview.inspection.height) == (width, height)
    image = decoded(preview.variant)
    assert image.size == (width, height)
    corners = {1: (4, 4), 2: (-4, 4), 3: (-4, -4), 4: (4, -4), 5: (4, 4), 6: (-4, 4), 7: (-4, -4), 8: (4, -4)}
    x, y = corners[orientation]
    red, green, _blue, *_ = image.getpixel((x % width, y % height))  # type: ignore[misc]
    assert red > 200
    assert green < 80


@pytest.mark.parametrize("picture_format", RASTER)
async def test_metadata_is_removed(picture_format: Format, pictures: Pictures) -> None:
    for each in await pictures.variants(with_metadata(picture_format, 400, 300), BRAND, ALL_KINDS):
        check_harmless(each)


async def test_colors_are_converted_to_srgb(pictures: Pictures) -> None:
    red = Image.new("RGB", (40, 40), (255, 0, 0))
    data = encoded(red, Format.PNG, icc_profile=profile_with_exchanged_primaries())
    for each in await pictures.variants(data, BRAND, ALL_KINDS):
        shown_red, shown_green, _ = decoded(each).getpixel((20, 20))  # type: ignore[misc]
        assert shown_green > 230
        assert shown_red < 40


@pytest.mark.parametrize("profile", [b"not a profile" * 20, bytes(128), profile_with_exchanged_primaries()[:200]])
async def test_a_damaged_profile_is_ignored(profile: bytes, pictures: Pictures) -> None:
    gray = Image.new("RGB", (40, 40), (120, 120, 120))
    preview = await pictures.preview(encoded(gray, Format.PNG, icc_profile=profile), BRAND)
    assert abs(decoded(preview.variant).getpixel((5, 5))[0] - 120) <= 4  # type: ignore[index]


async def test_sixteen_bits_of_gray_keep_their_brightness(pictures: Pictures) -> None:
    preview = await pictures.preview(samples()["16-bit PNG"], BRAND)
    assert abs(decoded(preview.variant).getpixel((5, 5))[0] - 40_000 // 256) <= 4  # type: ignore[index]


async def test_quality_is_kept_where_the_package_says_so(pictures: Pictures) -> None:
    data = picture(Format.JPEG, 300, 200, quality=98)
    compressed = await pictures.variants(data, BRAND, ALL_KINDS)
    kept = await pictures.variants(data, BRAND, ALL_KINDS, compress=False)
    for better, smaller in zip(kept, compressed, strict=True):
        assert len(better.data) > 1.4 * len(smaller.data)
    assert not {each.name for each in kept} & {each.name for each in compressed}


async def test_names_are_the_same_each_time_and_differ_by_content(pictures: Pictures) -> None:
    data = picture(Format.PNG)
    names = [each.name for each in await pictures.variants(data, BRAND, ["webp"])]
    assert names == [each.name for each in await pictures.variants(data, BRAND, ["webp"])]
    assert names != [each.name for each in await pictures.variants(data + b"\0", BRAND, ["webp"])]
    assert names == [(await pictures.preview(data, BRAND)).variant.name]


async def test_existing_variants_are_not_made_again(pictures: Pictures) -> None:
    data = picture(Format.PNG, 700, 70)
    preview = await pictures.preview(data, BRAND)
    made = await pictures.variants(data, BRAND, ["webp"], existing=[preview.variant.name])
    assert [each.width for each in made] == [640, 320]


async def test_a_file_is_read_by_the_decoder(pictures: Pictures, tmp_path: Path) -> None:
    path = tmp_path / "mislabelled.gif"
    path.write_bytes(picture(Format.AVIF, 50, 40))
    inspection = await pictures.inspect(path, BRAND)
    assert (inspection.format, inspection.width, inspection.height, inspection.frames) == (Format.AVIF, 50, 40, 1)


@pytest.mark.parametrize("picture_format", [Format.GIF, Format.WEBP, Format.PNG, Format.AVIF])
async def test_an_animation_keeps_its_frames_in_webp(picture_format: Format, pictures: Pictures) -> None:
    data = animation(picture_format, 5, 2000, 20)
    variants = await pictures.variants(data, BRAND, ALL_KINDS)
    [moving] = [each for each in variants if each.animated]
    assert (moving.format, moving.width) == (Format.WEBP, 1440)
    image = decoded(moving)
    assert (getattr(image, "n_frames", 1), image.info["loop"], image.info["duration"]) == (5, 0, 80)
    assert {each.format for each in variants if not each.animated} == {Format.JPEG}
    preview = await pictures.preview(data, BRAND)
    assert (preview.inspection.frames, preview.variant.format) == (5, Format.JPEG)


async def test_an_animation_with_too_many_frames_is_its_first_frame(pictures: Pictures) -> None:
    variants = await pictures.variants(animation(Format.GIF, 1_010, 4, 4), BRAND, ALL_KINDS)
    assert {(each.format, each.animated) for each in variants} == {(Format.WEBP, False), (Format.JPEG, False)}


async def test_a_damaged_animation_is_its_first_frame(pictures: Pictures) -> None:
    data = animation(Format.GIF, 6, 64, 64)
    variants = await pictures.variants(data[:-30], BRAND, ["webp", "fallback"])
    assert {(each.format, each.animated) for each in variants} == {(Format.WEBP, False), (Format.JPEG, False)}


async def test_svg_has_one_variant(pictures: Pictures) -> None:
    preview = await pictures.preview(SVG, BRAND)
    assert (preview.inspection.width, preview.inspection.height, preview.variant.mime_type) == (40, 30, "image/svg+xml")
    assert await pictures.variants(SVG, BRAND, ["webp", "fallback"]) == [preview.variant]
    assert await pictures.variants(SVG, BRAND, ["avif"]) == []


@pytest.mark.parametrize(
    "data", [b"", b"not a picture", picture(Format.JPEG, 300, 300)[:9_000], b"<svg><script/></svg>"]
)
async def test_unreadable_files_are_refused(data: bytes, pictures: Pictures) -> None:
    with pytest.raises(MediaUnreadable) as refused:
        await pictures.preview(data, BRAND)
    assert (refused.value.status, refused.value.code) == (400, "mediaUnreadable")
    assert "JPEG, PNG, GIF, WebP, AVIF or SVG" in refused.value.detail


async def test_large_files_are_refused(pictures: Pictures, tmp_path: Path) -> None:
    data = picture(Format.PNG) + bytes(25 * 1024 * 1024)
    path = tmp_path / "large.png"
    path.write_bytes(data)
    for source in (data, path):
        with pytest.raises(MediaTooLarge) as refused:
            await pictures.inspect(source, BRAND)
        assert (refused.value.status, refused.value.code) == (413, "mediaTooLarge")
