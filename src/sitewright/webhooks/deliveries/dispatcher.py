"""Delivers webhooks in a worker, until the worker stops.

Due deliveries are claimed under a lease in one statement, posted outside of any transaction, and recorded in batches.
NOTIFY wakes the dispatcher; it also polls every second, in case a notification was lost. When a worker dies, its
deliveries are claimed again after their lease: those in flight may then arrive twice, with the same id.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

import asyncpg

from sitewright.kit import clock
from sitewright.kit.db import DATABASE_OUTAGE, Transaction
from sitewright.kit.failures import reason_of
from sitewright.kit.listener import Listener
from sitewright.kit.problems import Unavailable
from sitewright.kit.resources import Resources
from sitewright.kit.sealing import MasterKeyError
from sitewright.kit.waiting import wait_at_most
from sitewright.webhooks.brand_secrets import SecretCache
from sitewright.webhooks.deliveries import store
from sitewright.webhooks.deliveries.attempt_log import AttemptLog
from sitewright.webhooks.deliveries.classification import classify
from sitewright.webhooks.deliveries.metrics import set_backlog
from sitewright.webhooks.deliveries.queues import Queue, Queues
from sitewright.webhooks.deliveries.responses import Response
from sitewright.webhooks.deliveries.store import Attempt, Claimed
from sitewright.webhooks.signing import headers_of, webhook_id

if TYPE_CHECKING:
    from sitewright.webhooks.deliveries.posting import Poster

POLL_SECONDS = 1.0
COUNT_SECONDS = 15.0
SOON = timedelta(minutes=1)
_log = logging.getLogger("sitewright.webhooks")


class DeliveryLoop:
    """The outbox loop of deliveries, with queues per destination instead of one handler."""

    name = "webhooks"

    async def run(self, resources: Resources, stopping: asyncio.Event) -> None:
        from sitewright.webhooks.deliveries.posting import open_poster  # noqa: PLC0415 - aiohttp takes 0.15 s to import

        async with open_poster(resources.settings) as poster:
            await Dispatcher(resources, poster).run(stopping)


class Dispatcher:
    def __init__(self, resources: Resources, poster: "Poster") -> None:
        self._resources = resources
        self._poster = poster
        self._secrets = SecretCache(resources.sealer)
        self._lease = timedelta(seconds=resources.settings.webhook_lease_seconds)
        self._woken = asyncio.Event()
        self._listener = Listener(
            resources.database, (store.CHANNEL,), "webhooks", self._on_notification, lambda _: self._woken.set()
        )
        self._log = AttemptLog(resources.database, resources.metrics)
        self._queues = Queues(resources.settings.webhook_connections_per_destination)
        self._limited: set[int] = set()
        """Brands with due deliveries that the last claim may have left out because of its limits."""
        self._changed: set[int] = set()
        """Subscriptions that changed since the last claim began; it may have read their former state."""
        self._last_poll = self._last_count = float("-inf")
        self._in_flight: set[asyncio.Task[None]] = set()

    async def run(self, stopping: asyncio.Event) -> None:
        """Until `stopping` is set; then deliveries in flight are finished, and the others released."""
        async with asyncio.TaskGroup() as group:
            others = [group.create_task(each) for each in (self._listener.run(), self._log.run())]
            others.append(group.create_task(self._wake_when(stopping)))
            while not stopping.is_set():
                self._woken.clear()
                await self._poll()
                await wait_at_most(self._woken, POLL_SECONDS)
            self._release_all()
            await asyncio.gather(*self._in_flight)
            await self._log.finish()
            for task in others:
                task.cancel()

    async def _wake_when(self, stopping: asyncio.Event) -> None:
        await stopping.wait()
        self._woken.set()

    async def _poll(self) -> None:
        if not self._listener.is_connected:
            self._release_all()  # without notifications, changes of subscriptions would be missed
        if not self._listener.is_connected or self._log.is_full:
            return
        try:
            async with self._resources.database.connection() as connection:
                await self._release_old_and_count(connection)
                await self._claim(connection)
        except (Unavailable, asyncpg.PostgresError, asyncpg.InterfaceError, *DATABASE_OUTAGE) as error:
            _log.warning("nothing is claimed while the database is unavailable: %s", type(error).__name__)

    async def _release_old_and_count(self, connection: Transaction) -> None:
        now = clock.stopwatch()
        if now - self._last_poll >= POLL_SECONDS:
            self._last_poll = now
            for queue in self._queues:
                self._log.release(queue.drop_old())
        if now - self._last_count >= COUNT_SECONDS:
            self._last_count = now
            await store.free_claims_of_previous_release(connection)
            set_backlog(self._resources.metrics, await store.count_waiting(connection, clock.now()))

    async def _claim(self, connection: Transaction) -> None:
        """At most half of the free connections, and for each brand half of what the others leave, so that brands whose
        receivers hang always leave connections for the next one."""
        held = self._queues.held
        free = self._resources.settings.webhook_connections - sum(held.values())
        if free <= 0:
            self._limited = set(held)
            return
        most = (free + 1) // 2
        limits = {brand_ref: max(0, (free - count + 1) // 2) for brand_ref, count in held.items()}
        self._changed.clear()
        now = clock.now()
        claimed = await store.claim(
            connection,
            now,
            now + self._lease,
            most,
            limits,
            self._queues.capacities(),
            self._queues.initial_concurrency,
        )
        for queue in self._queues.take(claimed):
            self._log.release(queue.drop_changed(self._changed))
            self._start(queue)
        counts = Counter(each.brand_ref for each in claimed)
        self._limited = {each for each in self._queues.held if counts[each] >= limits.get(each, most)}
        if len(claimed) >= most:
            self._woken.set()

    def _release_all(self) -> None:
        for queue in self._queues:
            self._log.release(queue.drop_all())

    def _on_notification(self, _channel: str, payload: str) -> None:
        """The payload is a subscription that changed; empty: there are new deliveries."""
        if payload.isdecimal():
            self._changed.add(int(payload))
            for queue in self._queues:
                self._log.release(queue.drop_changed((int(payload),)))
        self._woken.set()

    def _start(self, queue: Queue) -> None:
        while (claimed := queue.begin()) is not None:
            task = asyncio.create_task(self._deliver(queue, claimed))
            self._in_flight.add(task)
            task.add_done_callback(self._in_flight.discard)
        if queue.wants_more:
            self._woken.set()

    async def _deliver(self, queue: Queue, claimed: Claimed | None) -> None:
        """Delivers one after another until the queue is empty."""
        while claimed is not None:
            attempt = await self._attempt(claimed)
            self._log.record(attempt)
            self._wake_for_retry(attempt)
            self._log.release(queue.end(succeeded=attempt.outcome == "delivered"))
            if queue.brand_ref in self._limited:
                self._woken.set()
            claimed = queue.begin()
            self._start(queue)

    def _wake_for_retry(self, attempt: Attempt) -> None:
        """Wakes the dispatcher exactly when a near retry is due, before the next poll."""
        if attempt.next_attempt_at is not None and (wait := attempt.next_attempt_at - attempt.at) <= SOON:
            asyncio.get_running_loop().call_later(wait.total_seconds(), self._woken.set)

    async def _post(self, claimed: Claimed) -> Response:
        body = claimed.body.encode()
        try:
            secrets = self._secrets.unseal(claimed.brand_ref, claimed.sealed_secrets)
        except MasterKeyError as error:
            _log.error("the webhook secret of brand %d cannot be unsealed: %s", claimed.brand_ref, error)
            return Response(milliseconds=0, error="the brand's secret cannot be unsealed")
        headers = headers_of(webhook_id(claimed.event_id, claimed.subscription_ref), clock.real_now(), body, secrets)
        return await self._poster.post(claimed.url, headers, body)

    async def _response(self, claimed: Claimed) -> Response:
        """An internal error is a failed attempt; otherwise the delivery would block its queue."""
        try:
            return await self._post(claimed)
        except Exception as error:
            _log.error("delivery %d of brand %d: %s", claimed.sequence, claimed.brand_ref, reason_of(error))
            return Response(milliseconds=0, error=f"could not be sent ({type(error).__name__})")

    async def _attempt(self, claimed: Claimed) -> Attempt:
        response = await self._response(claimed)
        retries: Sequence[int] = self._resources.settings.webhook_retry_seconds
        result = classify(response, claimed.attempts, retries, clock.real_now())
        now, wait = clock.now(), result.next_attempt_after
        return Attempt(
            claimed=claimed,
            at=now,
            outcome=result.outcome,
            status=response.status,
            milliseconds=response.milliseconds,
            answer=response.text,
            error=response.error,
            next_attempt_at=None if wait is None else now + wait,
        )
