"""Receivers, subscriptions to them, and workers that deliver."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import msgspec
import pytest
from aiohttp.abc import AbstractResolver

from sitewright.events import service as events
from sitewright.events.names import EventPattern
from sitewright.kit import clock
from sitewright.kit.resources import Resources
from sitewright.webhooks import service
from sitewright.webhooks.deliveries.dispatcher import Dispatcher
from sitewright.webhooks.deliveries.posting import open_poster
from sitewright.webhooks.schemas import SubscriptionRequest
from sitewright.webhooks.sequencer import service as sequencer
from tests.support.cast import OWN_BRAND, TESTER
from tests.support.eventually import eventually
from tests.support.receiver import Receiver, open_receiver
from tests.support.users import OwnerConnection

LOOPBACK = ["127.0.0.0/8", "::1/128"]
LONG_TIMEOUT: dict[str, Any] = {"webhook_timeout_seconds": 60, "webhook_lease_seconds": 600}
"""For receivers that hang as long as the test wants."""
Receivers = Callable[[], Awaitable[Receiver]]


class Stage:
    """Operations of tests on webhooks, as the brand, the service and the operator."""

    def __init__(self, resources: Resources, rows: OwnerConnection) -> None:
        self.resources = resources
        self.rows = rows

    async def subscribe(
        self, url: str, brand_ref: int = OWN_BRAND, *, active: bool = True, event: EventPattern = "site.publish"
    ) -> int:
        requested = SubscriptionRequest(event, url, active)
        async with self.resources.database.transaction(brand_ref) as tx:
            created = await service.create_subscription(tx, self.resources.sealer, TESTER, brand_ref, requested)
        return created.id

    async def emit(self, brand_ref: int = OWN_BRAND, **body: Any) -> int:
        """Returns the event's sequence, once the sequencer has numbered it."""
        async with self.resources.database.transaction(brand_ref) as tx:
            await events.emit(tx, "site.publish", body, clock.now())
        while True:  # a worker may hold the brand's lock
            await sequencer.sequence_events(self.resources)
            async with self.resources.database.transaction(brand_ref) as tx:
                if not await tx.fetchval("select exists (select from event_inbox)"):
                    last: int = await tx.fetchval("select last from event_sequences")
                    return last

    async def secret(self, brand_ref: int = OWN_BRAND) -> str:
        async with self.resources.database.transaction(brand_ref) as tx:
            return await service.ensure_secret(tx, self.resources.sealer, brand_ref)

    async def attempts(self, subscription_ref: int) -> list[dict[str, Any]]:
        rows = await self.rows.fetch(
            "select * from webhook_attempts where subscription_ref = $1 order by ref", subscription_ref
        )
        return [dict(row) for row in rows]

    async def outcomes(self, subscription_ref: int) -> list[str]:
        return [each["outcome"] for each in await self.attempts(subscription_ref)]

    async def deliveries(self) -> list[dict[str, Any]]:
        rows = await self.rows.fetch("select * from webhook_deliveries order by subscription_ref, sequence")
        return [dict(row) for row in rows]

    async def recorded(self, count: int) -> None:
        """Waits until so many attempts are recorded."""
        count_attempts = "select count(*) from webhook_attempts"

        async def are_recorded() -> bool:
            return bool(await self.rows.fetchval(count_attempts) >= count)

        await eventually(are_recorded)

    @asynccontextmanager
    async def worker(self, names: AbstractResolver | None = None, **settings: Any) -> AsyncIterator[None]:
        """A worker that also delivers to loopback addresses; it is stopped at the end."""
        chosen = {"webhook_allowed_networks": LOOPBACK} | settings
        changed = msgspec.structs.replace(self.resources.settings, **chosen)
        stopping = asyncio.Event()
        async with open_poster(changed, names) as poster:
            dispatcher = Dispatcher(msgspec.structs.replace(self.resources, settings=changed), poster)
            loops = [dispatcher.run(stopping), sequencer.SEQUENCER.run(self.resources, stopping)]
            working = asyncio.gather(*loops)
            try:
                yield
            finally:
                stopping.set()
                await working


@pytest.fixture
def stage(resources: Resources, owner_connection: OwnerConnection, clean: None) -> Stage:
    return Stage(resources, owner_connection)


@pytest.fixture
async def receivers() -> AsyncIterator[Receivers]:
    async with AsyncExitStack() as stack:

        async def one() -> Receiver:
            return await stack.enter_async_context(open_receiver())

        yield one


@pytest.fixture
async def receiver(receivers: Receivers) -> Receiver:
    return await receivers()
