"""The limits of pictures, and the exceptions of those that exceed them."""

MIB = 1024 * 1024
MAX_SOURCE_BYTES = 25 * MIB
MAX_PIXELS = 50_000_000
"""Of all frames together."""
MAX_SIDE = 65_535
MAX_VARIANT_SIDE = 16_383
"""The largest side that WebP can store."""
MAX_VARIANT_PIXELS = 12_000_000
MAX_VARIANT_BYTES = 32 * MIB
MAX_ANIMATION_WIDTH = 1440
MAX_ANIMATION_FRAMES = 1_000
MAX_ANIMATION_BYTES = 10 * MIB
"""Beyond these, an animation is shown as its first frame."""


class PictureTooLarge(Exception):
    """Too many bytes, pixels or elements, or it takes too much time or memory; the text is for people."""


class PictureUnreadable(Exception):
    """Damaged, or not a picture that we accept; the text is for people."""


def check_pixels(width: int, height: int, frames: int = 1) -> None:
    """Refuse a picture by the size that its header declares, before any pixel is decoded."""
    if width < 1 or height < 1:
        raise PictureUnreadable("The picture has no pixels.")
    if width > MAX_SIDE or height > MAX_SIDE or width * height * frames > MAX_PIXELS:
        of_frames = f" in {frames} frames" if frames > 1 else ""
        raise PictureTooLarge(f"The picture has {width} x {height} pixels{of_frames}; the limit is 50 megapixels.")
