"""A bare ACME client of the demo's authority: it serves its own challenges, and stores nothing."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import dns.asyncquery
import dns.rcode
import dns.tsigkeyring
import dns.update
import msgspec
import uvloop
from aiohttp import web

from benchmarks.figures import MeasurementFailed
from benchmarks.service import Service
from sitewright.demo.network import KEY_NAME, Kept
from tests.support.bare_acme import AcmeClient, acme_client

CONCURRENCY = 24
"""As the service's worker."""
ZONE = "bare-client.example"
ADDRESS = "127.0.0.2"
"""Not where the edge server listens: on the same port, since the authority has one port for all hosts."""


class BareClient(msgspec.Struct, frozen=True):
    """Obtains certificates of the service's own authority, without the service."""

    service: Service

    def rate(self, hosts: Sequence[str]) -> float:
        """Certificates a second."""
        return uvloop.run(self._rate([f"{host}.{ZONE}" for host in hosts]))

    async def _rate(self, hosts: Sequence[str]) -> float:
        await _add_zone(self.service)
        demo = self.service.demo
        async with acme_client(demo["acmeDirectory"], Path(demo["acmeCaFile"])) as client:
            await client.register()
            async with _responding(client, int(demo["siteUrl"].rpartition(":")[2])):
                started = time.perf_counter()
                await _obtain_all(client, hosts)
                return len(hosts) / (time.perf_counter() - started)


async def _obtain_all(client: AcmeClient, hosts: Sequence[str]) -> None:
    slots = asyncio.Semaphore(CONCURRENCY)

    async def obtain(host: str) -> None:
        async with slots:
            await client.obtain(host, respond=_nothing_to_do)

    await asyncio.gather(*(obtain(host) for host in hosts))


async def _nothing_to_do(_host: str, _token: str, _value: str) -> None:
    """The responder knows every response: the token with the thumbprint of the account's key."""


@asynccontextmanager
async def _responding(client: AcmeClient, port: int) -> AsyncIterator[None]:
    async def respond(request: web.Request) -> web.Response:
        return web.Response(text=f"{request.match_info['token']}.{client.thumbprint}")

    application = web.Application()
    application.router.add_get("/.well-known/acme-challenge/{token}", respond)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, ADDRESS, port).start()
        yield
    finally:
        await runner.cleanup()


async def _add_zone(service: Service) -> None:
    """All names of the zone lead to the client, instead of the edge server."""
    kept = msgspec.json.decode((service.folder / "demo-network" / "network.json").read_bytes(), type=Kept)
    keyring = dns.tsigkeyring.from_text({KEY_NAME: kept.key})
    update = dns.update.UpdateMessage(ZONE, keyring=keyring, keyalgorithm="hmac-sha256")
    update.replace(f"*.{ZONE}.", 60, "A", ADDRESS)
    response = await dns.asyncquery.tcp(update, "127.0.0.1", port=kept.primary_port, timeout=10)
    if response.rcode() != dns.rcode.NOERROR:
        raise MeasurementFailed(f"the name server refused an update: {dns.rcode.to_text(response.rcode())}")
