"""Fifty pictures uploaded at once, and how they delay other callers."""

import asyncio
import io
import multiprocessing
from collections.abc import Iterator
from multiprocessing.process import BaseProcess
from multiprocessing.synchronize import Event

import uvloop
from PIL import Image

from benchmarks.figures import Figure, Goal, MeasurementFailed
from benchmarks.load import is_whole
from benchmarks.measurement import Measurement
from benchmarks.population import Population
from benchmarks.probe import PER_SECOND, Waits, probe, probe_for, reads_of
from benchmarks.publish_fairness import client_of, make_site
from benchmarks.requests import address_of, raw_request
from benchmarks.service import Service
from benchmarks.signing import authorization

OTHERS = Goal("3 x the p99 of other calls idle / while 50 pictures are uploaded at once", 1)
READ = Population(brand_ref=1, first_ref=1_500_000_000, users=1, package="free")
AT_ONCE = 50
SIZE = (2000, 1500)
ROUNDS = 3
IDLE_SECONDS = 3.0
LONGEST_SECONDS = 300


def measure(service: Service) -> list[Figure]:
    asyncio.run(READ.put_into(service.database_url))
    site_ref = uvloop.run(make_site(service, READ.brand_ref, "pictures"))
    address, reads = address_of(service.url), reads_of(service, READ)
    idle, busy, photo = Waits(), Waits(), _photo()
    for _ in range(ROUNDS):
        idle.seconds += probe_for(IDLE_SECONDS, address, reads).seconds
        uploads = _uploads(service, site_ref, photo)
        busy.seconds += _probe_while_uploading(address, uploads, reads).seconds
    asyncio.run(_delete_pictures(service, site_ref))
    note = (
        f"signed GET of a user at {PER_SECOND}/s: {idle.summary} idle, {busy.summary} while {AT_ONCE} JPEGs of 3"
        " megapixels are uploaded over as many connections"
    )
    return [OTHERS.measured(3 * idle.p99 / busy.p99, note)]


async def _delete_pictures(service: Service, site_ref: int) -> None:
    """Otherwise the worker would make their variants for minutes, during the measurements that follow."""
    async with client_of(service, READ.brand_ref) as client:
        while found := (await client.get(f"/sites/{site_ref}/media")).json()["media"]:
            for each in found:
                response = await client.delete(f"/sites/{site_ref}/media/{each['ref']}")
                if response.status_code != 204:
                    raise MeasurementFailed(f"deleting a picture returned {response.status_code}")


def _photo() -> bytes:
    gradient, noise = Image.linear_gradient("L").resize(SIZE), Image.effect_noise(SIZE, 40)
    buffer = io.BytesIO()
    Image.merge("RGB", [gradient, gradient, noise]).save(buffer, "JPEG", quality=85)
    return buffer.getvalue()


def _uploads(service: Service, site_ref: int, photo: bytes) -> list[bytes]:
    """Complete requests, which are signed before the clock starts."""
    url, credentials = f"{service.url}/sites/{site_ref}/media", service.credentials(READ.brand_ref)
    return [
        raw_request(
            "POST",
            url,
            {"Authorization": authorization(credentials, "POST", url), "Content-Type": "image/jpeg"},
            photo,
        )
        for _ in range(AT_ONCE)
    ]


def _probe_while_uploading(address: tuple[str, int], uploads: list[bytes], reads: Iterator[bytes]) -> Waits:
    """The uploading client is a process of its own: sending 50 pictures must not delay the probes themselves."""
    spawning = multiprocessing.get_context("spawn")
    ready, begin = spawning.Event(), spawning.Event()
    uploading = spawning.Process(target=_upload_all, args=(address, uploads, ready, begin))
    uploading.start()
    if not ready.wait(LONGEST_SECONDS):
        raise MeasurementFailed("the uploading client did not start")
    waits = uvloop.run(_probe_until_ended(address, reads, uploading, begin))
    if uploading.exitcode != 0:
        raise MeasurementFailed(f"the uploads failed (exit status {uploading.exitcode})")
    return waits


async def _probe_until_ended(
    address: tuple[str, int], reads: Iterator[bytes], uploading: BaseProcess, begin: Event
) -> Waits:
    over = asyncio.Event()
    probing = asyncio.create_task(probe(address, reads, over))
    begin.set()
    await asyncio.to_thread(uploading.join)
    over.set()
    return await probing


def _upload_all(address: tuple[str, int], uploads: list[bytes], ready: Event, begin: Event) -> None:
    async def run() -> None:
        async with asyncio.timeout(LONGEST_SECONDS):
            await asyncio.gather(*(_upload(address, request) for request in uploads))

    ready.set()
    begin.wait(LONGEST_SECONDS)
    asyncio.run(run())


async def _upload(address: tuple[str, int], request: bytes) -> None:
    reader, writer = await asyncio.open_connection(*address)
    writer.write(request)
    reply = b""
    while not is_whole(reply):
        received = await reader.read(65536)
        if not received:
            raise MeasurementFailed("the server closed the connection of an upload")
        reply += received
    writer.close()
    if not reply.startswith(b"HTTP/1.1 201"):
        raise MeasurementFailed(f"an upload returned {reply[:300].decode('latin-1')}")


MEASUREMENT = Measurement(goals=[OTHERS], measure=measure, on_every_core=True)
