"""A worker's deliveries, from its start to its end.

What is due is claimed in one statement, posted outside of any transaction, and what came of it is written down for many
at once. The database tells when there is something to deliver; a look every second makes up for what was not heard. A
worker that dies leaves its claims to the others: what it had under way may then arrive twice, under the same id.
"""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta

import asyncpg

from sitewright.kit import clock
from sitewright.kit.db import DATABASE_AWAY, Transaction
from sitewright.kit.jobs import Duty
from sitewright.kit.problems import Unavailable
from sitewright.kit.resources import Resources
from sitewright.kit.sealing import MasterKeyError
from sitewright.webhooks.brand_secrets import Opener
from sitewright.webhooks.deliveries import store
from sitewright.webhooks.deliveries.judging import judge
from sitewright.webhooks.deliveries.lanes import Lane, Lanes
from sitewright.webhooks.deliveries.notebook import Notebook
from sitewright.webhooks.deliveries.posting import Answer, Poster, open_poster
from sitewright.webhooks.deliveries.presence import Presence
from sitewright.webhooks.deliveries.store import Claimed, Noted
from sitewright.webhooks.signing import headers_of, webhook_id

LOOK_SECONDS = 1.0
COUNT_SECONDS = 15.0
SOON = timedelta(minutes=1)
_log = logging.getLogger("sitewright.webhooks")


async def deliver(resources: Resources, stopping: asyncio.Event) -> None:
    """Until told to stop; then what is under way is finished, and what is not is given back."""
    async with open_poster(resources.settings) as poster:
        await Courier(resources, poster).work(stopping)


DUTY = Duty("webhooks", deliver)


class Courier:
    def __init__(self, resources: Resources, poster: Poster) -> None:
        self._resources = resources
        self._poster = poster
        self._secrets = Opener(resources.sealer)
        self._woken = asyncio.Event()
        self._presence = Presence(resources.database, self._woken)
        self._notebook = Notebook(resources.database, resources.metrics)
        self._lanes = Lanes(resources.settings.webhook_connections_per_destination)
        self._last_turn = 0
        self._took_all_it_may = False
        self._is_in_doubt = False
        """Whether something may be claimed that this worker does not know of: a claim went wrong half-way."""
        self._looked = self._counted = float("-inf")
        self._under_way: set[asyncio.Task[None]] = set()

    async def work(self, stopping: asyncio.Event) -> None:
        async with asyncio.TaskGroup() as group:
            beside = [group.create_task(each) for each in (self._presence.keep(), self._notebook.keep())]
            beside.append(group.create_task(self._end(stopping)))
            while not stopping.is_set():
                self._woken.clear()
                await self._look()
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._woken.wait(), LOOK_SECONDS)
            for lane in self._lanes:
                self._notebook.give_back(lane.queue)
                lane.queue.clear()
            await asyncio.gather(*self._under_way)
            await self._notebook.finish()
            for task in beside:
                task.cancel()

    async def _end(self, stopping: asyncio.Event) -> None:
        await stopping.wait()
        self._woken.set()

    async def _look(self) -> None:
        worker = self._presence.number
        room = self._resources.settings.webhook_connections - self._lanes.held
        if worker is None or self._notebook.is_full:
            return
        try:
            async with self._resources.database.connection() as connection:
                await self._see_to_others(connection, worker)
                if room > 0:
                    self._is_in_doubt = True
                    await self._claim(connection, worker, room)
                    self._is_in_doubt = False
        except (Unavailable, asyncpg.PostgresError, asyncpg.InterfaceError, *DATABASE_AWAY) as error:
            _log.warning("webhooks wait for the database: %s", type(error).__name__)

    async def _see_to_others(self, connection: Transaction, worker: int) -> None:
        """Now and then: what the dead left behind, and the figures."""
        now = clock.stopwatch()
        if self._is_in_doubt:
            await store.release_others(connection, worker, self._notebook.in_hand)
            self._is_in_doubt = False
        if now - self._looked >= LOOK_SECONDS:
            self._looked = now
            await store.free(connection)
        if now - self._counted >= COUNT_SECONDS:
            self._counted = now
            self._resources.metrics.set_webhook_backlog(await store.count_waiting(connection, clock.now()))

    async def _claim(self, connection: Transaction, worker: int, most: int) -> None:
        rooms, usual = self._lanes.rooms(), self._lanes.first_width
        claimed = await store.claim(connection, worker, clock.now(), self._last_turn, most, rooms, usual)
        self._notebook.worker = worker
        self._took_all_it_may = len(claimed) == most
        if claimed:
            self._last_turn = claimed[-1].subscription_ref
        self._notebook.hold(claimed)
        self._lanes.take(claimed, rooms)
        for destination in {each.destination for each in claimed}:
            self._go_on(self._lanes[destination])

    def _go_on(self, lane: Lane) -> None:
        while (claimed := lane.begin()) is not None:
            task = asyncio.create_task(self._work_on(lane, claimed))
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)
        if self._took_all_it_may or lane.wants_more:
            self._woken.set()

    async def _work_on(self, lane: Lane, claimed: Claimed | None) -> None:
        """One delivery after another, for as long as the lane has any."""
        while claimed is not None:
            noted = await self._attempt(claimed)
            self._notebook.note(noted)
            self._look_again(noted)
            self._notebook.give_back(lane.end(succeeded=noted.outcome == "delivered"))
            claimed = lane.begin()
            self._go_on(lane)

    def _look_again(self, noted: Noted) -> None:
        """When a near attempt is due, and not up to a second later."""
        if noted.next_attempt_at is not None and (wait := noted.next_attempt_at - noted.at) <= SOON:
            asyncio.get_running_loop().call_later(wait.total_seconds(), self._woken.set)

    async def _post(self, claimed: Claimed) -> Answer:
        body = claimed.body.encode()
        try:
            secrets = self._secrets.open(claimed.brand_ref, claimed.sealed_secrets)
        except MasterKeyError as error:
            _log.error("the webhook secret of brand %d does not open: %s", claimed.brand_ref, error)
            return Answer(milliseconds=0, error="the brand's secret cannot be opened")
        headers = headers_of(webhook_id(claimed.event_id, claimed.subscription_ref), clock.real_now(), body, secrets)
        return await self._poster.post(claimed.url, headers, body)

    async def _attempt(self, claimed: Claimed) -> Noted:
        answer = await self._post(claimed)
        retries: Sequence[int] = self._resources.settings.webhook_retry_seconds
        verdict = judge(answer, claimed.attempts, retries, clock.real_now())
        now, wait = clock.now(), verdict.next_attempt_after
        return Noted(
            claimed=claimed,
            at=now,
            outcome=verdict.outcome,
            status=answer.status,
            milliseconds=answer.milliseconds,
            answer=answer.text,
            error=answer.error,
            next_attempt_at=None if wait is None else now + wait,
        )
