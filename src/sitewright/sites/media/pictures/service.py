"""The interface of pictures: inspects uploads and generates their variants, in decoder processes."""

import logging
from collections.abc import Collection
from pathlib import Path

import msgspec

from sitewright.sites.media.errors import MediaTooLarge, MediaUnreadable
from sitewright.sites.media.pictures.decoder_pool import DecoderPool
from sitewright.sites.media.pictures.formats import DETECTION_BYTES, Format, Kind, detect
from sitewright.sites.media.pictures.limits import MAX_SOURCE_BYTES
from sitewright.sites.media.pictures.sizes import Box
from sitewright.sites.media.pictures.tasks import Inspection, Result, Task, Work

__all__ = ["DETECTION_BYTES", "MAX_SOURCE_BYTES", "Box", "Format", "Inspection", "Kind", "Pictures", "Variant"]
__all__ += ["detect"]

NICENESS = 5
PREVIEW_LIMITS = (20, 60)
CROP_LIMITS = (60, 120)
VARIANTS_LIMITS = (120, 300)
"""Seconds of CPU time, and of time."""
PREVIEW_WAIT_SECONDS = 30
VARIANTS_WAIT_SECONDS = 300
_log = logging.getLogger("sitewright.media")


class Variant(msgspec.Struct, frozen=True):
    """A file for visitors: free of metadata, in sRGB, upright."""

    name: str
    """`<digest>-<width>.<extension>`, the same for the same original: it may be cached forever."""
    format: Format
    width: int
    height: int
    animated: bool
    data: bytes

    @property
    def mime_type(self) -> str:
        return self.format.mime_type


class Preview(msgspec.Struct, frozen=True):
    inspection: Inspection
    variant: Variant


class Pictures:
    """One per process of the service. Every method raises `MediaTooLarge`, `MediaUnreadable` or `Unavailable`.

    `source` is the complete original, or the path of a file that holds it; a path spares the caller the memory.
    """

    def __init__(self, processes: int, niceness: int = NICENESS) -> None:
        self._pool = DecoderPool(processes, niceness)

    async def inspect(self, source: bytes | Path, brand_ref: int, *, compress: bool = True) -> Inspection:
        """Format, size and frames, from the header alone."""
        inspection, _ = await self._run("inspect", source, brand_ref, PREVIEW_LIMITS, compress=compress)
        return inspection

    async def preview(self, source: bytes | Path, brand_ref: int, *, compress: bool = True) -> Preview:
        """For the upload request: the inspection, and one variant of at most 960 pixels."""
        inspection, [variant] = await self._run("preview", source, brand_ref, PREVIEW_LIMITS, compress=compress)
        return Preview(inspection, variant)

    async def variants(
        self,
        source: bytes | Path,
        brand_ref: int,
        kinds: Collection[Kind],
        *,
        compress: bool = True,
        existing: Collection[str] = (),
    ) -> list[Variant]:
        """For the worker: all variants of these kinds, except those whose names are in `existing`."""
        _, variants = await self._run(
            "variants",
            source,
            brand_ref,
            VARIANTS_LIMITS,
            compress=compress,
            kinds=sorted(kinds),
            existing=list(existing),
        )
        return variants

    async def crop(self, source: bytes | Path, brand_ref: int, box: Box) -> bytes:
        """A part of a still picture, as an original of its own."""
        _, [part] = await self._run("crop", source, brand_ref, CROP_LIMITS, compress=False, box=box)
        return part.data

    async def close(self) -> None:
        """End the decoder processes. Without it they end with this process."""
        await self._pool.close()

    @property
    def pool(self) -> DecoderPool:
        """For measurements."""
        return self._pool

    async def _run(
        self,
        work: Work,
        source: bytes | Path,
        brand_ref: int,
        limits: tuple[int, int],
        *,
        compress: bool,
        kinds: list[Kind] | None = None,
        existing: list[str] | None = None,
        box: Box | None = None,
    ) -> tuple[Inspection, list[Variant]]:
        data, path = (b"", str(source)) if isinstance(source, Path) else (source, "")
        if not path:
            _check_beginning(data)
        task = Task(work, len(data), path, compress, *limits, kinds or [], existing or [], box)
        wait_seconds = VARIANTS_WAIT_SECONDS if work == "variants" else PREVIEW_WAIT_SECONDS
        result, contents = await self._pool.run(task, data, brand_ref, wait_seconds)
        return _inspection(result), [
            Variant(each.name, each.format, each.width, each.height, each.animated, content)
            for each, content in zip(result.variants, contents, strict=True)
        ]


def _check_beginning(data: bytes) -> None:
    """What needs no process."""
    if len(data) > MAX_SOURCE_BYTES:
        raise MediaTooLarge
    if detect(data[:DETECTION_BYTES]) is None:
        raise MediaUnreadable


def _inspection(result: Result) -> Inspection:
    if result.cause:
        _log.info("a picture was refused: %s", result.cause)
    if result.problem == "tooLarge":
        raise MediaTooLarge(result.detail or None)
    if result.problem == "unreadable" or result.inspection is None:
        raise MediaUnreadable(f"{result.detail} {MediaUnreadable.detail}".strip())
    return result.inspection
