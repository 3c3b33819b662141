"""The widths of variants."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitewright.sites.media.pictures.limits import MAX_VARIANT_PIXELS, MAX_VARIANT_SIDE
from sitewright.sites.media.pictures.sizes import WIDTHS, scaled, variant_widths
from tests.support.depth import cases

SIDES = st.integers(1, 65_535)


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
