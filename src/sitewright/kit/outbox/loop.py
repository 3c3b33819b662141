"""A worker's loop over one outbox: claim due items, run the handler, record the outcomes, until the worker stops."""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from sitewright.kit import clock
from sitewright.kit.failures import is_database_unavailable, reason_of
from sitewright.kit.outbox import Claimed, DeadLetter, Outbox
from sitewright.kit.outbox.outcomes import Outcomes
from sitewright.kit.problems import Unavailable
from sitewright.kit.resources import Resources
from sitewright.kit.waiting import wait_at_most, with_jitter

EXTENSIONS = 3
"""How often a lease is extended in its own duration: two extensions may fail before a running handler loses it."""


@dataclass(frozen=True)
class Batch:
    """Claimed items on their way through one call of the handler."""

    resources: Resources
    items: Sequence[Claimed]
    outcomes: Outcomes
    stopping: asyncio.Event
    """A handler of many items releases those that it has not begun when this is set."""


Handle = Callable[[Batch], Awaitable[bool]]
"""Records the outcome of every item. Returns False to pause claiming, if what the work needs is unavailable."""


class OutboxLoop:
    def __init__(self, outbox: Outbox, handle: Handle) -> None:
        self.name = outbox.name
        self._outbox = outbox
        self._handle = handle

    async def run(self, resources: Resources, stopping: asyncio.Event) -> None:
        """Run until `stopping` is set; then give handlers time to finish, and release unfinished items."""
        Outcomes(resources, self._outbox).count_from_zero()
        run = _Run(self._outbox, self._handle, resources, stopping)
        extending = asyncio.create_task(run.extend_leases())
        waking = asyncio.create_task(run.wake_when_stopping())
        try:
            while not stopping.is_set():
                run.woken.clear()
                if not await run.claim() or run.is_busy:
                    await wait_at_most(run.woken, with_jitter(self._outbox.poll_seconds))
        finally:
            await run.drain()
            for task in (extending, waking):
                task.cancel()

    async def run_once(self, resources: Resources) -> None:
        """Handle everything that is due now, and return when it is done."""
        run = _Run(self._outbox, self._handle, resources, asyncio.Event())
        while await run.claim():
            await run.finish()
        await run.finish()


class _Run:
    """The batches that one worker has claimed and is handling."""

    def __init__(self, outbox: Outbox, handle: Handle, resources: Resources, stopping: asyncio.Event) -> None:
        self._outbox = outbox
        self._handle = handle
        self._resources = resources
        self._stopping = stopping
        self._concurrency = outbox.concurrency(resources.settings)
        self._running: dict[asyncio.Task[None], Batch] = {}
        self._may_be_more = self._is_paused = False
        self.woken = asyncio.Event()
        self._log = logging.getLogger(f"sitewright.{outbox.name}")

    @property
    def is_busy(self) -> bool:
        return len(self._running) >= self._concurrency

    async def claim(self) -> bool:
        """Claim items for all free handlers; return whether more may be due."""
        self._is_paused = False
        limit = (self._concurrency - len(self._running)) * self._outbox.batch
        if limit <= 0:
            return True
        try:
            items = await self._claim(limit)
        except Exception as error:
            if not is_database_unavailable(error):
                raise
            self._log.warning("nothing is claimed while the database is unavailable: %s", type(error).__name__)
            return False
        for first in range(0, len(items), self._outbox.batch):
            self._start(items[first : first + self._outbox.batch])
        self._may_be_more = _has_exhausted_share(items, limit)
        return self._may_be_more and not self._is_paused

    async def _claim(self, limit: int) -> list[Claimed]:
        now = clock.now()
        async with self._resources.database.connection() as connection:
            return await self._outbox.claim(connection, now, now + self._outbox.lease, limit)

    def _start(self, items: Sequence[Claimed]) -> None:
        batch = Batch(self._resources, items, Outcomes(self._resources, self._outbox), self._stopping)
        task = asyncio.create_task(self._work(batch))
        self._running[task] = batch
        task.add_done_callback(self._ended)

    async def _work(self, batch: Batch) -> None:
        """Run the handler. After an unexpected error its items are retried when their lease expires."""
        try:
            if not await self._handle(batch):
                self._is_paused = True
        except Exception as error:
            self._is_paused = True
            if is_database_unavailable(error):
                self._log.warning("outcomes are not recorded: %s", type(error).__name__)
            else:
                self._log.error("the handler failed", exc_info=error)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.pop(task, None)
        if self._may_be_more and not self._is_paused:
            self.woken.set()

    async def wake_when_stopping(self) -> None:
        await self._stopping.wait()
        self.woken.set()

    async def extend_leases(self) -> None:
        """Extend the leases of running handlers, so that leases can be short although a handler may take long."""
        while True:
            await asyncio.sleep(self._outbox.lease.total_seconds() / EXTENSIONS)
            for batch in list(self._running.values()):
                with suppress(Unavailable):
                    await batch.outcomes.extend(batch.items)

    async def finish(self) -> None:
        if self._running:
            await asyncio.wait(self._running)

    async def drain(self) -> None:
        """Cancel handlers that do not finish in time and release their items, so that no lease must expire first."""
        left = dict(self._running)
        if left:
            await asyncio.wait(left, timeout=self._outbox.drain_seconds)
        for task, batch in left.items():
            if not task.done():
                task.cancel()
                await asyncio.wait([task])
                with suppress(Unavailable):
                    await batch.outcomes.release(batch.items)


def _has_exhausted_share(items: Sequence[Claimed], limit: int) -> bool:
    """Whether any brand got its whole share of the claim (see `claim_due_mails`), and so may have more due items."""
    counts = Counter(each.brand_ref for each in items)
    return any(count >= max(1, limit // len(counts)) for count in counts.values())


def each(work: Callable[[Resources, Claimed], Awaitable[None]]) -> Handle:
    """Make a handler that runs `work` for one item at a time; what `work` raises determines the outcome."""

    async def handle(batch: Batch) -> bool:
        for item in batch.items:
            try:
                await work(batch.resources, item)
            except DeadLetter as reason:
                await batch.outcomes.dead_letter([item], str(reason))
            except Exception as error:
                if is_database_unavailable(error):
                    await batch.outcomes.release([item])
                    return False
                await batch.outcomes.retry([item], reason_of(error))
            else:
                await batch.outcomes.done([item])
        return True

    return handle
