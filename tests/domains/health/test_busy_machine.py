"""Requests of health checks in a process that is too busy to meet their deadlines."""

import asyncio
import gc
import random
import ssl
import time
from typing import Any

import uvloop

from sitewright.domains.health.observing.http import Unreached, request
from sitewright.kit.dns.client import DnsClient, Lookups
from sitewright.kit.tls import server_context
from sitewright.settings import Settings
from tests.support.certificates import certificate_for
from tests.support.trust import TRUST

HOST = "shop.example"
REQUESTS = 120
AT_ONCE = 40
DEADLINE, BUSY = 0.3, 0.1
"""Seconds, at most."""
Logged = list[dict[str, Any]]


async def test_a_refused_certificate_is_not_logged() -> None:
    """The service runs on uvloop, which left the error of a handshake unread when its caller gave up."""
    issued = certificate_for(HOST)
    server = await asyncio.start_server(
        lambda *_: None, "127.0.0.1", 0, ssl=server_context(issued.chain.encode(), issued.key.encode())
    )
    port = server.sockets[0].getsockname()[1]
    refused, late, logged = await asyncio.to_thread(uvloop.run, _request_all(port))
    server.close()
    assert refused, "no handshake ended in time"
    assert late, "every handshake ended in time"
    assert logged == []


async def _request_all(port: int) -> tuple[int, int, Logged]:
    logged: Logged = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: logged.append(context))
    client = DnsClient(Settings(dns_resolvers=["127.0.0.1:1"]))
    chance = random.Random(1)  # noqa: S311 - the same every time
    busy = asyncio.create_task(_be_busy(chance))
    outcomes: list[str] = []
    for _ in range(REQUESTS // AT_ONCE):
        lookups = [Lookups(client, None, chance.random() * DEADLINE) for _ in range(AT_ONCE)]
        outcomes += await asyncio.gather(*(_outcome(each, port) for each in lookups))
    busy.cancel()
    await asyncio.sleep(0)
    gc.collect()
    await asyncio.sleep(0)
    return outcomes.count("refused"), outcomes.count("late"), logged


async def _be_busy(chance: random.Random) -> None:
    while True:
        time.sleep(chance.random() * BUSY)  # noqa: ASYNC251 - this is the point
        await asyncio.sleep(chance.random() * 0.01)


async def _outcome(lookups: Lookups, port: int) -> str:
    try:
        await request(lookups, "127.0.0.1", port, HOST, "/", method="HEAD", tls=TRUST)
    except ssl.SSLCertVerificationError:
        return "refused"
    except Unreached:
        return "late"
    return "trusted"
