"""The running authority, and what tests and the demo do with it."""

import socket
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from aiohttp import web

from sitewright.demo.authority.accounts import Accounts
from sitewright.demo.authority.behavior import NINETY_DAYS, Fault, Faults, Policy
from sitewright.demo.authority.challenges import Challenges
from sitewright.demo.authority.keys import Keys, open_keys
from sitewright.demo.authority.limiting import RateLimiter
from sitewright.demo.authority.objects import Issued, Order, Refusal
from sitewright.demo.authority.orders import Orders
from sitewright.demo.authority.registry import Registry
from sitewright.demo.authority.server import AcmeServer
from sitewright.demo.authority.validation import Network
from sitewright.kit.http.server import listen
from sitewright.kit.tls import server_context

LOOPBACK = "127.0.0.1"
JOURNAL = "journal.jsonl"


class Authority:
    """`ca_file` verifies its listener and the certificates that it issues."""

    def __init__(self, base: str, keys: Keys, registry: Registry, policy: Policy, faults: Faults) -> None:
        self.directory = f"{base}/directory"
        self.ca_file = keys.ca_file
        self.policy = policy
        self.faults = faults
        self._registry = registry

    @property
    def orders(self) -> Sequence[Order]:
        """Every order, oldest first."""
        return list(self._registry.orders.values())

    @property
    def issued(self) -> Sequence[Issued]:
        """Every certificate, oldest first."""
        return list(self._registry.issued.values())

    @property
    def refusals(self) -> Sequence[Refusal]:
        """Every request that was refused, oldest first."""
        return list(self._registry.refusals)

    def fail_next(self, fault: Fault | str, times: int = 1, *, retry_after: int | None = None) -> None:
        """Let the next requests that the fault concerns fail: see `Fault`."""
        self.faults.fail_next(fault, times, retry_after=retry_after)

    def lose_accounts(self) -> None:
        """As an authority that was set up again."""
        self._registry.accounts.clear()


@asynccontextmanager
async def authority(
    *,
    resolver: str | None = None,
    http_port: int = 80,
    lifetime: timedelta = NINETY_DAYS,
    folder: Path | None = None,
    listener: socket.socket | None = None,
    name: str | None = None,
    **policy: Any,
) -> AsyncIterator[Authority]:
    """A running authority.

    `resolver`: address:port that it asks for hosts and TXT records; without one every host is on the loopback
    interface. `http_port`: where it looks for http-01. `folder` keeps its keys and its journal over a restart.
    `name`: in its URLs, instead of the address of its listener. `policy`: see `Policy`.
    """
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="sitewright-authority-") as temporary:
            keys = open_keys(Path(temporary))
            async with _running(keys, None, Network(resolver, http_port), listener, name, lifetime, policy) as running:
                yield running
        return
    keys = open_keys(folder)
    network = Network(resolver, http_port)
    async with _running(keys, folder / JOURNAL, network, listener, name, lifetime, policy) as running:
        yield running


@asynccontextmanager
async def _running(
    keys: Keys,
    journal: Path | None,
    network: Network,
    listener: socket.socket | None,
    name: str | None,
    lifetime: timedelta,
    options: dict[str, Any],
) -> AsyncIterator[Authority]:
    listener = listener or listen(LOOPBACK, 0)
    host, port = listener.getsockname()[:2]
    base = f"https://{name or host}:{port}"
    registry, faults, policy = Registry(journal), Faults(), Policy(lifetime=lifetime, **options)
    limiter = RateLimiter(policy.limits)
    challenges = Challenges(registry, policy, faults, limiter, network)
    orders = Orders(registry, policy, faults, limiter, keys)
    server = AcmeServer(base, registry, policy, faults, Accounts(registry, policy), orders, challenges)
    runner = web.AppRunner(server.application(), access_log=None)
    await runner.setup()
    own = keys.own_certificate(host, name)
    await web.SockSite(runner, listener, ssl_context=server_context(own.chain, own.key_pem)).start()
    try:
        yield Authority(base, keys, registry, policy, faults)
    finally:
        await runner.cleanup()
        await challenges.close()
        registry.close()
