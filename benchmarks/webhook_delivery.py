"""Webhooks to a local receiver: how many events a second one worker delivers, compared with as many bare POSTs by the
same client library; and the latency from the publish call to the delivery."""

import asyncio
import sys
import time
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import msgspec
import uvloop

from benchmarks.contest import interleave
from benchmarks.figures import Figure, Goal, MeasurementFailed
from benchmarks.load import read_reply
from benchmarks.measurement import Measurement
from benchmarks.probe import Waits
from benchmarks.processes import free_port
from benchmarks.requests import address_of, signed_request, user_body
from benchmarks.service import Service
from benchmarks.webhook_receiver import receiving
from sitewright.settings import Settings

SPEED = Goal("webhooks delivered by one worker / bare POSTs by aiohttp", 0.5)
PROMPT = Goal("1 s / p99 from the publish call to the webhook's delivery, 50 a second", 1)
BRAND = 1
SITES = 10
PER_SECOND = 50
SECONDS = 6
LONGEST_SECONDS = 60
AT_ONCE = Settings().webhook_connections_per_destination
_INSERT_EVENTS = """
with reserved as (update event_sequences set last = last + $1 where brand_ref = $2 returning last),
emitted as (
    insert into events (brand_ref, sequence, id, kind, body, at)
    select $2, last - $1 + number, gen_random_uuid(), 'site.publish', $3::json, now()
      from reserved, generate_series(1, $1) number
    returning sequence, at)
insert into webhook_deliveries (brand_ref, subscription_ref, sequence, due_at)
select $2, s.ref, e.sequence, e.at from emitted e, webhook_subscriptions s
 where s.brand_ref = $2 and s.event = 'site.publish' and s.active
"""
_NOTIFY = "select pg_notify('sitewright_webhooks', '')"


class Deliveries(msgspec.Struct, frozen=True):
    """Emit many events at once, and wait until the last is delivered."""

    name: str
    database_url: str
    port: int
    body: bytes

    def rate(self, count: int) -> float:
        return uvloop.run(self._rate(count))

    async def _rate(self, count: int) -> float:
        owner = await asyncpg.connect(self.database_url, server_settings={"sitewright.release": "benchmark"})
        async with receiving(self.port) as receiver:
            async with owner.transaction():
                await owner.execute(_INSERT_EVENTS, count, BRAND, self.body.decode())
                await owner.execute(_NOTIFY)
            begun = time.perf_counter()
            await receiver.until(count, LONGEST_SECONDS)
            await _until_recorded(owner)
        await owner.close()
        return count / (receiver.last_at - begun)


class Posts(msgspec.Struct, frozen=True):
    """As many POSTs of the same bytes by aiohttp alone, in a separate process."""

    name: str
    port: int
    file: Path

    def rate(self, count: int) -> float:
        return uvloop.run(self._rate(count))

    async def _rate(self, count: int) -> float:
        command = [sys.executable, "-m", "benchmarks.bare_posts", f"http://127.0.0.1:{self.port}/", str(self.file)]
        async with receiving(self.port) as receiver:
            process = await asyncio.create_subprocess_exec(
                *command, str(count), str(AT_ONCE), stdout=asyncio.subprocess.PIPE
            )
            output, _ = await asyncio.wait_for(process.communicate(), LONGEST_SECONDS)
        if process.returncode or receiver.count != count:
            raise MeasurementFailed(f"{receiver.count} of {count} bare POSTs arrived")
        return count / float(output)


def measure(service: Service) -> list[Figure]:
    port = free_port()
    paths = _prepare(service, port)
    prompt = uvloop.run(_publish_steadily(service, paths, port))
    body = asyncio.run(_one_body(service.database_url))
    file = service.folder / "webhook.json"
    file.write_bytes(body)
    own, bare = interleave(
        "webhooks", Deliveries("service", service.database_url, port, body), Posts("aiohttp", port, file), seconds=1.5
    )
    setting = f"{len(body)} bytes each; ours signed, and every attempt written down, "
    return [own.against(bare, SPEED, setting), prompt]


def _prepare(service: Service, port: int) -> list[str]:
    """Create sites to publish, and a subscription; returns the paths of the calls."""
    pro = service.brand(BRAND)["packages"]["pro"]
    with httpx.Client(
        base_url=service.url, auth=service.password_of(BRAND), trust_env=False, timeout=LONGEST_SECONDS
    ) as client:

        def post(path: str, **body: Any) -> Any:
            response = client.post(path, json=body)
            if not response.is_success:
                raise MeasurementFailed(f"POST {path} returned {response.status_code}: {response.text[:200]}")
            return response.json()

        paths = []
        for number in range(SITES):
            user_ref = post("/users", **user_body(BRAND, f"webhook-{number}"))["accountHolder"]["ref"]
            post(f"/users/{user_ref}/account-packages", packageRef=pro)
            site = post("/sites", accountHolderRef=user_ref, brandRef=BRAND, domain=f"webhook-{number}.example")["site"]
            paths.append(f"/sites/{site['ref']}/publish")
        post("/webhooks/subscription", event="site.publish", url=f"http://127.0.0.1:{port}/", active=True)
    return paths


async def _one_body(database_url: str) -> bytes:
    """An event as a publish emits it."""
    owner = await asyncpg.connect(database_url)
    body: str = await owner.fetchval("select body::text from events where brand_ref = $1 limit 1", BRAND)
    await owner.close()
    return body.encode()


async def _until_recorded(owner: "asyncpg.Connection[asyncpg.Record]") -> None:
    """Wait until the worker has recorded everything, so that it does not disturb the next measurement."""
    async with asyncio.timeout(LONGEST_SECONDS):
        while await owner.fetchval("select exists (select from webhook_deliveries where lease_until is not null)"):  # noqa: ASYNC110 - the worker is another process
            await asyncio.sleep(0.02)


async def _publish_steadily(service: Service, paths: list[str], port: int) -> Figure:
    asked: dict[tuple[int, int], float] = {}
    async with receiving(port, keep=True) as receiver:
        begun = time.perf_counter() + 0.5
        publishers = [Publisher(service, path, asked, begun + at / PER_SECOND) for at, path in enumerate(paths)]
        await asyncio.gather(*(publisher.work(begun + SECONDS) for publisher in publishers))
        await receiver.until(len(asked), LONGEST_SECONDS)
    waits = Waits([at - asked[_key(body)] for at, body in receiver.kept])
    responses = Waits([seconds for publisher in publishers for seconds in publisher.waits])
    note = f"{waits.summary}; of that the publish call itself {responses.summary}; {SITES} sites, one worker"
    return PROMPT.measured(1 / waits.p99, note)


def _key(body: bytes) -> tuple[int, int]:
    delivered = msgspec.json.decode(body)
    return delivered["site"]["ref"], delivered["versionRef"]


class Publisher:
    """Publish one site repeatedly, at a fixed rate."""

    def __init__(self, service: Service, path: str, asked: dict[tuple[int, int], float], due: float) -> None:
        self._service = service
        self._path = path
        self._asked = asked
        self._due = due
        self.waits: list[float] = []

    async def work(self, until: float) -> None:
        reader, writer = await asyncio.open_connection(*address_of(self._service.url))
        credentials, site_ref = self._service.credentials(BRAND), int(self._path.split("/")[2])
        while self._due < until:
            request = signed_request(credentials, "POST", self._service.url + self._path)
            await asyncio.sleep(max(0.0, self._due - time.perf_counter()))
            begun = time.perf_counter()
            writer.write(request)
            version_ref = (await read_reply(reader))["versionRef"]
            self._asked[site_ref, version_ref] = begun
            self.waits.append(time.perf_counter() - begun)
            self._due += SITES / PER_SECOND
        writer.close()


MEASUREMENT = Measurement(goals=[SPEED, PROMPT], measure=measure)
