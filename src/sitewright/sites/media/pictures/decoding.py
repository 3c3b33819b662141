"""Decodes pictures into upright sRGB pixels without metadata. Runs only in decoder processes."""

import io
import warnings
from collections.abc import Iterator

import msgspec
from PIL import AvifImagePlugin, Image, ImageCms, ImageFile
from PIL import WebPImagePlugin as _WebPImagePlugin  # noqa: F401 - imported, it registers itself

from sitewright.sites.media.pictures.formats import Format
from sitewright.sites.media.pictures.headers import Header
from sitewright.sites.media.pictures.limits import MAX_PIXELS, PictureUnreadable, check_pixels
from sitewright.sites.media.pictures.sizes import Box, scaled

ORIENTATION = 0x0112
TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
"""EXIF orientations; from 5 on, width and height are exchanged."""
DEFAULT_FRAME_MS = 100
SHORTEST_FRAME_MS = 20
"""Browsers play frames that are shorter at ten per second, and so do we."""
PILLOW_NAMES = {Format.JPEG: "JPEG", Format.PNG: "PNG", Format.GIF: "GIF", Format.WEBP: "WEBP", Format.AVIF: "AVIF"}
_SRGB = ImageCms.createProfile("sRGB")


class Picture(msgspec.Struct, frozen=True):
    """An opened picture; its pixels are not decoded yet."""

    image: ImageFile.ImageFile
    width: int
    height: int
    """As shown: after the orientation is applied."""
    frames: int
    orientation: int


def configure() -> None:
    """One thread, errors instead of warnings for pictures beyond the limit, and codecs loaded before the first fork."""
    AvifImagePlugin.DEFAULT_MAX_THREADS = 1
    Image.MAX_IMAGE_PIXELS = MAX_PIXELS
    warnings.simplefilter("error", Image.DecompressionBombWarning)
    Image.preinit()
    for name in PILLOW_NAMES.values():  # the first use of a codec takes long
        Image.new("RGB", (16, 16)).save(io.BytesIO(), name)


def open_picture(data: bytes, picture_format: Format, header: Header) -> Picture:
    """Open without decoding. Sizes are checked again, since the library may find another one than our reader."""
    image = Image.open(io.BytesIO(data), formats=[PILLOW_NAMES[picture_format]])
    if not isinstance(image, ImageFile.ImageFile):
        raise PictureUnreadable("The picture cannot be opened.")
    width, height = image.size
    check_pixels(width, height, header.frames)
    orientation = _orientation(image)
    if orientation >= 5:
        width, height = height, width
    return Picture(image, width, height, header.frames, orientation)


def decode(picture: Picture, to_width: int) -> Image.Image:
    """The first frame at this width, as RGB, or as RGBA where it is transparent somewhere."""
    return _decoded(picture, scaled(picture.width, picture.height, to_width))


def decode_part(picture: Picture, box: Box) -> Image.Image:
    """A part of the first frame in its own size."""
    whole = _decoded(picture, (picture.width, picture.height))
    return _without_needless_alpha(whole.crop((box.left, box.top, box.right, box.bottom)))


def _decoded(picture: Picture, size: tuple[int, int]) -> Image.Image:
    stored_size = (size[1], size[0]) if picture.orientation >= 5 else size
    image = picture.image
    image.draft(None, stored_size)  # JPEG: decode at a half, a quarter or an eighth, if that is still large enough
    image.load()
    profile = image.info.get("icc_profile")
    pixels = _resized(_plain(image), stored_size)
    pixels = _in_srgb(pixels, profile if isinstance(profile, bytes) else b"")
    if picture.orientation in TURNS:
        pixels = pixels.transpose(TURNS[picture.orientation])
    return _without_metadata(_without_needless_alpha(pixels))


def decode_frames(picture: Picture, to_width: int) -> Iterator[tuple[Image.Image, int]]:
    """Every frame at this width, and how many milliseconds it is shown."""
    size = scaled(picture.width, picture.height, to_width)
    image = picture.image
    profile = image.info.get("icc_profile")
    for number in range(picture.frames):
        image.seek(number)
        image.load()
        pixels = _in_srgb(_resized(_plain(image), size), profile if isinstance(profile, bytes) else b"")
        shown_ms = int(image.info.get("duration") or 0)
        yield _without_metadata(pixels), shown_ms if shown_ms >= SHORTEST_FRAME_MS else DEFAULT_FRAME_MS


def _orientation(image: Image.Image) -> int:
    """Damaged metadata does not make a picture unreadable."""
    try:
        found = image.getexif().get(ORIENTATION, 1)
    except Exception:
        return 1
    return found if isinstance(found, int) and 1 <= found <= 8 else 1


def _plain(image: Image.Image) -> Image.Image:
    """In a mode that can be resized: L, RGB, RGBA or CMYK."""
    if image.mode.startswith("I"):  # 16 bits of gray
        return image.convert("I").point(lambda value: value * (1 / 256)).convert("L")
    if image.mode in {"LA", "PA", "La", "RGBa"} or "transparency" in image.info:
        return image.convert("RGBA")
    if image.mode in {"L", "RGB", "RGBA", "CMYK"}:
        return image
    return image.convert("L" if image.mode == "1" else "RGB")


def _resized(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    if image.size == size:
        return image
    return image.resize(size, Image.Resampling.LANCZOS, reducing_gap=3.0)


def _in_srgb(image: Image.Image, profile: bytes) -> Image.Image:
    """Converted by its color profile; a profile that is damaged or of another color model is ignored."""
    mode = "RGBA" if image.mode == "RGBA" else "RGB"
    if profile:
        try:
            source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
            converted = ImageCms.profileToProfile(image, source, _SRGB, outputMode=mode)
        except (ImageCms.PyCMSError, OSError, ValueError):
            converted = None
        if converted is not None:
            return converted
    return image.convert(mode)


def _without_needless_alpha(image: Image.Image) -> Image.Image:
    if image.mode == "RGBA" and image.getchannel("A").getextrema() == (255, 255):
        return image.convert("RGB")
    return image


def _without_metadata(image: Image.Image) -> Image.Image:
    """Encoders write what they find in `info`."""
    if isinstance(image, ImageFile.ImageFile):
        image = image.copy()
    image.info.clear()
    return image
