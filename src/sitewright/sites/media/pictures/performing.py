"""Performs one task on the bytes of one upload. Runs only in decoder processes."""

from collections.abc import Iterator

from sitewright.sites.media.pictures.decoding import open_picture
from sitewright.sites.media.pictures.encoding import Encoded, Wanted, encode_part, encode_preview, encode_variants
from sitewright.sites.media.pictures.formats import DETECTION_BYTES, Format, detect
from sitewright.sites.media.pictures.headers import read_header
from sitewright.sites.media.pictures.limits import MAX_SOURCE_BYTES, PictureTooLarge, PictureUnreadable
from sitewright.sites.media.pictures.names import content_hash, variant_name
from sitewright.sites.media.pictures.svg.sanitizer import sanitize
from sitewright.sites.media.pictures.tasks import Inspection, Result, Task, VariantHeader


def perform(task: Task, data: bytes) -> tuple[Result, list[bytes]]:
    """The result and the bytes of its variants. A picture that cannot be decoded is a result, too."""
    try:
        inspection, variants = _perform(task, data)
    except PictureTooLarge as error:
        return Result(problem="tooLarge", detail=str(error)), []
    except PictureUnreadable as error:
        return Result(problem="unreadable", detail=str(error)), []
    except MemoryError:
        return Result(problem="tooLarge", cause="memory"), []
    except Exception as error:  # decoders raise nearly everything for damaged pictures
        return Result(problem="unreadable", cause=f"{type(error).__name__}: {error}"[:500]), []
    headers = [
        VariantHeader(each.name, each.format, each.width, each.height, each.animated, len(each.data))
        for each in variants
    ]
    return Result(inspection, headers), [each.data for each in variants]


def _perform(task: Task, data: bytes) -> tuple[Inspection, list[Encoded]]:
    if len(data) > MAX_SOURCE_BYTES:
        raise PictureTooLarge("The file has more than 25 MiB.")
    picture_format = detect(data[:DETECTION_BYTES])
    if picture_format is None:
        raise PictureUnreadable("")
    digest = content_hash(data, compress=task.compress)
    if picture_format is Format.SVG:
        return _svg(task, data, digest)
    picture = open_picture(data, picture_format, read_header(data, picture_format))
    inspection = Inspection(picture_format, picture.width, picture.height, picture.frames, digest)
    variants: Iterator[Encoded] = iter(())
    if task.work == "preview":
        variants = iter([encode_preview(picture, digest, compress=task.compress)])
    elif task.work == "crop" and task.box is not None:
        variants = iter([encode_part(picture, picture_format, digest, task.box)])
    elif task.work == "variants":
        wanted = Wanted(digest, frozenset(task.kinds), task.compress, frozenset(task.existing))
        variants = encode_variants(picture, wanted)
    return inspection, list(variants)


def _svg(task: Task, data: bytes, digest: str) -> tuple[Inspection, list[Encoded]]:
    """Its only variant is the sanitized SVG, since it fits every width."""
    svg = sanitize(data)
    inspection = Inspection(Format.SVG, svg.width, svg.height, 1, digest)
    name = variant_name(digest, svg.width, Format.SVG)
    if task.work == "inspect" or task.kinds == ["avif"] or name in task.existing:
        return inspection, []
    return inspection, [Encoded(name, Format.SVG, svg.width, svg.height, svg.data)]
