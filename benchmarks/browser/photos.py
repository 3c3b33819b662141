"""Photos in the media library of a site, in place of the drawings of a sample: as customers have them."""

import asyncio
import io
import time

import asyncpg
import msgspec
from PIL import Image

from benchmarks.figures import MeasurementFailed
from benchmarks.service import Service
from tests.support.customers import Customer, done
from tests.support.rendered_sites import DRAWING, size_of
from tests.support.sample_parts import Sample

WIDTH = 1600
GRAIN = 8
"""A photo has details of so many pixels, which gives its files the size of those of real photos."""
LONGEST_SECONDS = 300


async def with_photos(service: Service, customer: Customer, sample: Sample) -> Sample:
    """Upload a photo for each drawing, and wait until the worker has made all its variants."""
    encoded = msgspec.json.encode(sample)
    for drawing in dict.fromkeys(DRAWING.findall(encoded)):
        headers = {"content-type": "image/jpeg"}
        sent = customer.client.post(f"{customer.path}/media", content=_photo(*size_of(drawing)), headers=headers)
        ref = (await done(sent))["media"]["ref"]
        encoded = encoded.replace(drawing, f"media:{ref}".encode())
    await _wait_for_variants(service, customer)
    return msgspec.json.decode(encoded, type=Sample)


def _photo(width: int, height: int) -> bytes:
    size = WIDTH, WIDTH * height // width
    bands = [Image.effect_noise((size[0] // GRAIN, size[1] // GRAIN), 60).resize(size) for _ in range(3)]
    buffer = io.BytesIO()
    Image.merge("RGB", bands).save(buffer, "JPEG", quality=88)
    return buffer.getvalue()


async def _wait_for_variants(service: Service, customer: Customer) -> None:
    deadline = time.monotonic() + LONGEST_SECONDS
    owner = await asyncpg.connect(service.database_url)
    try:
        unfinished = "select exists (select from media where site_ref = $1 and due_at is not null)"
        while await owner.fetchval(unfinished, customer.site["ref"]):
            if time.monotonic() > deadline:
                raise MeasurementFailed(f"the variants of pictures took more than {LONGEST_SECONDS} s")
            await asyncio.sleep(0.2)
    finally:
        await owner.close()
