"""Visitors of pictures: one stored variant repeatedly, compared with nginx and a file of the same bytes."""

import asyncio
import random

import asyncpg

from benchmarks.contest import interleave
from benchmarks.edge_read import WRK, Visitors
from benchmarks.figures import Figure, Goal
from benchmarks.measurement import Measurement
from benchmarks.nginx import PROGRAM as NGINX
from benchmarks.nginx import running_nginx
from benchmarks.published_sites import BRAND, FIRST_REF, fill
from benchmarks.service import Service

AGAINST_NGINX = Goal("stored variant of a picture / nginx with a file of the same bytes", 0.3)
LARGE_AGAINST_NGINX = Goal("large variant (500 KB) / nginx with a file of the same bytes", 0.3)
SIZES = {AGAINST_NGINX: 60_000, LARGE_AGAINST_NGINX: 500_000}
CHUNK_BYTES = 256 * 1024


def measure(service: Service) -> list[Figure]:
    asyncio.run(fill(service.database_url))
    return [_compete(service, goal, size) for goal, size in SIZES.items()]


def _compete(service: Service, goal: Goal, size: int) -> Figure:
    content = random.Random(size).randbytes(size)  # noqa: S311 - the same file every time
    name = f"{size:032x}-960.webp"
    asyncio.run(_insert(service.database_url, name, content))
    own = Visitors("service", f"{service.demo['siteUrl']}/_media/{name}")
    own.check(content)
    if NGINX is None:
        return goal.without_peer("nginx")
    folder = service.folder / name
    folder.mkdir()
    with running_nginx(folder, name, content) as url:
        nginx = Visitors("nginx", url)
        nginx.check(content)
        ours, theirs = interleave("a stored variant", own, nginx)
    return ours.against(theirs, goal, f"one worker each, {'wrk' if WRK else 'our own load generator'} as the ")


async def _insert(database_url: str, name: str, content: bytes) -> None:
    """As the media library does, without encoding a picture."""
    key = f"{BRAND}/{FIRST_REF}/{name[:32]}"
    owner = await asyncpg.connect(database_url)
    try:
        async with owner.transaction():
            await owner.execute(f"set local sitewright.brand_ref = '{BRAND}'")
            await owner.execute(OBJECT, BRAND, key, FIRST_REF)
            for number, start in enumerate(range(0, len(content), CHUNK_BYTES)):
                await owner.execute(CHUNK, BRAND, key, number, content[start : start + CHUNK_BYTES])
            ref = await owner.fetchval(MEDIUM, BRAND, FIRST_REF, len(content), name[:32], key)
            await owner.execute(VARIANT, BRAND, ref, name, FIRST_REF, len(content), key)
    finally:
        await owner.close()


OBJECT = "insert into media_objects (brand_ref, key, site_ref, store) values ($1, $2, $3, 'postgresql')"
CHUNK = "insert into media_chunks (brand_ref, object_key, number, body) values ($1, $2, $3, $4)"
MEDIUM = """
    insert into media (brand_ref, site_ref, user_ref, name, alt, mime_type, width, height, frames, bytes, digest,
                       compress, object_key, created_at, updated_at)
    values ($1, $2, $2, 'bench.jpg', '', 'image/jpeg', 960, 640, 1, $3, $4, true, $5, now(), now()) returning ref
"""
VARIANT = """
    insert into media_variants (brand_ref, media_ref, name, site_ref, format, width, height, animated, bytes,
                                object_key, created_at)
    values ($1, $2, $3, $4, 'webp', 960, 640, false, $5, $6, now())
"""
MEASUREMENT = Measurement(goals=list(SIZES), measure=measure)
