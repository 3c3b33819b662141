"""The sizes of variants: pure functions."""

from math import isqrt

import msgspec

from sitewright.sites.media.pictures.limits import MAX_VARIANT_PIXELS, MAX_VARIANT_SIDE

WIDTHS = (320, 640, 960, 1440, 1920, 2560)
PREVIEW_WIDTH = 960
MAX_AVIF_WIDTH = 1920


class Box(msgspec.Struct, frozen=True):
    """A rectangle in pixels; right and bottom are exclusive."""

    left: int
    top: int
    right: int
    bottom: int


def variant_widths(width: int, height: int, largest: int = WIDTHS[-1]) -> list[int]:
    """The fixed widths below the original's, and its own width, so that a small picture loses nothing; ascending."""
    own = min(width, largest, _width_within_limits(width, height))
    return [each for each in WIDTHS if each < own] + [own]


def scaled(width: int, height: int, to_width: int) -> tuple[int, int]:
    """The size at this width, in the same proportion."""
    return to_width, min(MAX_VARIANT_SIDE, max(1, round(height * to_width / width)))


def _width_within_limits(width: int, height: int) -> int:
    """For very tall pictures: WebP has a largest side, and an enormous variant helps no visitor."""
    by_side = width * MAX_VARIANT_SIDE // height
    by_pixels = isqrt(MAX_VARIANT_PIXELS * width // height)
    return max(1, min(by_side, by_pixels))
