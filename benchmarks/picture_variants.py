"""Variants of pictures from the decoder pool, compared with a bare script, and the memory of its processes."""

import asyncio
import io
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image

from benchmarks.figures import Figure, Goal, MeasurementFailed
from benchmarks.measurement import Measurement
from benchmarks.service import Service
from sitewright.kit.problems import Problem
from sitewright.sites.media.pictures.decoder_process import MEMORY_BYTES
from sitewright.sites.media.pictures.service import Pictures

RATE = Goal("variants per second by one decoder process / by the same calls of Pillow in a bare script", 0.7)
MEMORY = Goal("memory limit of a decoding process / the most it takes for the largest allowed pictures", 1)
ROUNDS = 3
SIZES = ((365, 274), (365, 274), (1632, 1224), (4000, 3000))
LARGEST = (8660, 5770)
ENCODERS: dict[str, dict[str, Any]] = {
    "JPEG": {"quality": 60, "progressive": True},
    "PNG": {"compress_level": 1},
    "GIF": {},
    "WEBP": {"quality": 40, "method": 0},
    "AVIF": {"quality": 40, "speed": 10},
}


def measure(_service: Service) -> list[Figure]:
    return asyncio.run(_measure())


async def _measure() -> list[Figure]:
    try:
        return [await _rate(), await _memory()]
    except Problem as refused:
        raise MeasurementFailed(f"a picture was refused: {refused.detail}") from None


async def _rate() -> Figure:
    """Rounds of both take turns, so that other load on the machine concerns them equally."""
    pictures = Pictures(1, niceness=0)
    with TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number}.jpg" for number in range(len(SIZES))]
        for path, size in zip(paths, SIZES, strict=True):
            path.write_bytes(_encoded(_photo(size), "JPEG", quality=88))
        await pictures.preview(paths[0], 1)
        rounds = [(_bare_rate(paths), await _pool_rate(pictures, paths)) for _ in range(ROUNDS)]
    await pictures.close()
    bare, pool = median(each for each, _ in rounds), median(each for _, each in rounds)
    note = f"{pool:.1f} and {bare:.1f} variants per second (WebP and JPEG; 0.1, 2 and 12 megapixels)"
    return RATE.measured(median(pool / bare for bare, pool in rounds), note)


async def _pool_rate(pictures: Pictures, paths: list[Path]) -> float:
    begun = time.perf_counter()
    made = [await pictures.variants(path, 1, ["webp", "fallback"]) for path in paths]
    return sum(map(len, made)) / (time.perf_counter() - begun)


def _bare_rate(paths: list[Path]) -> float:
    command = [sys.executable, "-m", "benchmarks.peers.variants", *map(str, paths)]
    done = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return float(done["variants"] / done["seconds"])


async def _memory() -> Figure:
    peaks = {}
    for name, data in _largest():
        pictures = Pictures(1, niceness=0)
        await pictures.preview(data, 1)
        peaks[name] = pictures.pool.peak_kib / 1024
        await pictures.close()
    note = ", ".join(f"{name} {peak:.0f} MiB" for name, peak in peaks.items())
    return MEMORY.measured(MEMORY_BYTES / 1024**2 / max(peaks.values()), f"50 megapixels: {note}")


def _largest() -> Iterator[tuple[str, bytes]]:
    """Of 50 megapixels, in the mode that takes most memory; noise would exceed 25 MiB."""
    smooth = Image.linear_gradient("L").resize(LARGEST)
    for name, options in ENCODERS.items():
        mode = {"JPEG": "CMYK", "GIF": "L"}.get(name, "RGBA")
        image = smooth if mode == "L" else Image.merge(mode, [smooth] * len(mode))
        if mode == "RGBA":
            image.putalpha(128)
        yield name, _encoded(image, name, **options)


def _photo(size: tuple[int, int]) -> Image.Image:
    bands = [Image.effect_noise((size[0] // 8, size[1] // 8), 60).resize(size) for _ in range(3)]
    return Image.merge("RGB", bands)


def _encoded(image: Image.Image, name: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, name, **options)
    return buffer.getvalue()


MEASUREMENT = Measurement(goals=[RATE, MEMORY], measure=measure)
