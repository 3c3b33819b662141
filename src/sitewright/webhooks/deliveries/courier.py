"""A worker's deliveries, from its start to its end.

What is due is claimed in one statement, posted outside of any transaction, and what came of it is written down for many
at once. The database tells when there is something to deliver; a look every second makes up for what was not heard. A
worker that dies leaves its claims to the others: what it had under way may then arrive twice, under the same id.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from datetime import timedelta

import asyncpg

from sitewright.kit import clock
from sitewright.kit.db import DATABASE_AWAY, Transaction
from sitewright.kit.failures import reason_of
from sitewright.kit.problems import Unavailable
from sitewright.kit.resources import Resources
from sitewright.kit.sealing import MasterKeyError
from sitewright.kit.waiting import wait_at_most
from sitewright.webhooks.brand_secrets import Opener
from sitewright.webhooks.deliveries import store
from sitewright.webhooks.deliveries.answers import Answer
from sitewright.webhooks.deliveries.judging import judge
from sitewright.webhooks.deliveries.lanes import Lane, Lanes
from sitewright.webhooks.deliveries.metrics import set_backlog
from sitewright.webhooks.deliveries.notebook import Notebook
from sitewright.webhooks.deliveries.posting import Poster, open_poster
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


class Deliveries:
    name = "webhooks"

    async def run(self, resources: Resources, stopping: asyncio.Event) -> None:
        await deliver(resources, stopping)


class Courier:
    def __init__(self, resources: Resources, poster: Poster) -> None:
        self._resources = resources
        self._poster = poster
        self._secrets = Opener(resources.sealer)
        self._woken = asyncio.Event()
        self._presence = Presence(resources.database, self._woken, self._drop_changed)
        self._notebook = Notebook(resources.database, resources.metrics)
        self._lanes = Lanes(resources.settings.webhook_connections_per_destination)
        self._last_brand = 0
        self._may_want_more: Callable[[int], bool] = lambda _brand_ref: False
        """Whether a brand may have got less than is due: it has all that one may have, or nothing is left."""
        self._changed: set[int] = set()
        """Subscriptions that changed since the last claim was asked for, which may not have seen it."""
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
                await wait_at_most(self._woken, LOOK_SECONDS)
            self._give_up_all()
            await asyncio.gather(*self._under_way)
            await self._notebook.finish()
            for task in beside:
                task.cancel()

    async def _end(self, stopping: asyncio.Event) -> None:
        await stopping.wait()
        self._woken.set()

    async def _look(self) -> None:
        worker = self._presence.number
        if worker is None:
            self._give_up_all()  # nobody tells of changes now
        if worker is None or self._notebook.is_full:
            return
        try:
            async with self._resources.database.connection() as connection:
                await self._see_to_others(connection, worker)
                await self._claim(connection, worker)
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
            for lane in self._lanes:
                self._notebook.give_back(lane.give_up_old())
        if now - self._counted >= COUNT_SECONDS:
            self._counted = now
            set_backlog(self._resources.metrics, await store.count_waiting(connection, clock.now()))

    async def _claim(self, connection: Transaction, worker: int) -> None:
        held, rooms, usual = self._lanes.held, self._lanes.rooms(), self._lanes.first_width
        free = self._resources.settings.webhook_connections - sum(held.values())
        if free <= 0:
            return
        self._changed.clear()
        self._is_in_doubt = True
        claimed = await store.claim(connection, worker, clock.now(), free, self._last_brand, held, rooms, usual)
        self._is_in_doubt = False
        self._notebook.worker = worker
        if claimed:
            self._last_brand = claimed[-1].brand_ref
        self._notebook.hold(claimed)
        lanes = self._lanes.take(claimed, rooms)
        held, left = self._lanes.held, free - len(claimed)
        self._may_want_more = lambda brand_ref: left == 0 or held.get(brand_ref, 0) >= left
        for lane in lanes:
            self._notebook.give_back(lane.give_up_changed(self._changed))
            self._go_on(lane)

    def _give_up_all(self) -> None:
        for lane in self._lanes:
            self._notebook.give_back(lane.give_up())

    def _drop_changed(self, subscription_ref: int) -> None:
        self._changed.add(subscription_ref)
        for lane in self._lanes:
            self._notebook.give_back(lane.give_up_changed((subscription_ref,)))

    def _go_on(self, lane: Lane) -> None:
        while (claimed := lane.begin()) is not None:
            task = asyncio.create_task(self._work_on(lane, claimed))
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)
        if lane.wants_more or self._may_want_more(lane.brand_ref):
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

    async def _answer(self, claimed: Claimed) -> Answer:
        """An error of our own is a failed attempt: else the delivery would stay claimed and keep its lane busy."""
        try:
            return await self._post(claimed)
        except Exception as error:
            _log.error("delivery %d of brand %d: %s", claimed.sequence, claimed.brand_ref, reason_of(error))
            return Answer(milliseconds=0, error=f"could not be sent ({type(error).__name__})")

    async def _attempt(self, claimed: Claimed) -> Noted:
        answer = await self._answer(claimed)
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
