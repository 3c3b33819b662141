"""The widths of variants, and crops around the focal point."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitewright.sites.media.pictures.limits import MAX_VARIANT_PIXELS, MAX_VARIANT_SIDE
from sitewright.sites.media.pictures.sizes import WIDTHS, Box, crop_box, scaled, variant_widths
from tests.support.depth import cases

SIDES = st.integers(1, 65_535)
SHARES = st.floats(0, 1)


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (100, [100]),
        (320, [320]),
        (321, [320, 321]),
        (1000, [320, 640, 960, 1000]),
        (2560, list(WIDTHS)),
        (6000, list(WIDTHS)),
    ],
)
def test_variants_are_never_larger_than_the_original(width: int, expected: list[int]) -> None:
    assert variant_widths(width, width // 2) == expected


@cases(300, 20_000)
@given(SIDES, SIDES)
def test_every_variant_is_within_the_limits(width: int, height: int) -> None:
    widths = variant_widths(width, height)
    assert widths == sorted(set(widths))
    for each in widths:
        size = scaled(width, height, each)
        assert 1 <= size[0] <= min(width, 2560)
        assert 1 <= size[1] <= min(height, MAX_VARIANT_SIDE)
        assert size[0] * size[1] <= MAX_VARIANT_PIXELS * 1.01


@pytest.mark.parametrize(
    ("ratio", "focal", "expected"),
    [
        (1, (0.5, 0.5), Box(200, 0, 600, 400)),
        (1, (0, 0), Box(0, 0, 400, 400)),
        (1, (1, 1), Box(400, 0, 800, 400)),
        (1, (0.4, 0.9), Box(120, 0, 520, 400)),
        (4, (0.5, 0.25), Box(0, 0, 800, 200)),
        (4, (0.5, 0.5), Box(0, 100, 800, 300)),
        (2, (0.1, 0.9), Box(0, 0, 800, 400)),
    ],
)
def test_a_crop_is_centered_on_the_focal_point(ratio: float, focal: tuple[float, float], expected: Box) -> None:
    assert crop_box(800, 400, ratio, *focal) == expected


@cases(300, 20_000)
@given(SIDES, SIDES, st.floats(0.01, 100), SHARES, SHARES)
def test_a_crop_is_the_largest_part_with_its_ratio(
    width: int, height: int, ratio: float, focal_x: float, focal_y: float
) -> None:
    box = crop_box(width, height, ratio, focal_x, focal_y)
    crop_width, crop_height = box.right - box.left, box.bottom - box.top
    assert 0 <= box.left < box.right <= width
    assert 0 <= box.top < box.bottom <= height
    assert crop_width == width or crop_height == height
    assert box.left - 1 <= focal_x * width <= box.right + 1
    assert box.top - 1 <= focal_y * height <= box.bottom + 1
    assert abs(crop_width - crop_height * ratio) <= max(1, ratio)
