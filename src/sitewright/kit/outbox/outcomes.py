"""Records the outcomes of claimed items, with one transaction for each brand."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import TypeVar

from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.kit.outbox import Claimed, Outbox, WorkTable, store
from sitewright.kit.resources import Resources

I = TypeVar("I", bound=Claimed)  # noqa: E741 - an item


class Outcomes:
    """Records the outcomes of one batch: done, retry, dead letter or released."""

    def __init__(self, resources: Resources, outbox: Outbox) -> None:
        self._database = resources.database
        self._outbox = outbox
        self._lease_lock = asyncio.Lock()
        """Keeps outcomes from being recorded while the lease is extended, when it would look like a lost lease."""
        self._log = logging.getLogger(f"sitewright.{outbox.name}")
        self._counter = resources.metrics.counter(
            "sitewright_outbox_items", "Items of each outbox by outcome: done, retried, dead.", ["outbox", "outcome"]
        )

    async def done(self, items: Sequence[Claimed]) -> None:
        for brand_ref, some in by_brand(items).items():
            async with self._lease_lock, self._database.transaction(brand_ref) as tx:
                await store.complete(tx, self._outbox.table, some, clock.now())
            self._count("done", some)

    async def retry(self, items: Sequence[Claimed], reason: str, **logged: str) -> None:
        """Retry each item after its back-off; items without retries left become dead letters."""
        exhausted = [each for each in items if self._outbox.back_off.delay(each.attempts) is None]
        await self.dead_letter(exhausted, reason, table=None, **logged)
        for brand_ref, some in by_brand(each for each in items if each not in exhausted).items():
            now, delays = clock.now(), [self._outbox.back_off.delay(each.attempts) for each in some]
            due = [now + delay for delay in delays if delay is not None]
            async with self._lease_lock, self._database.transaction(brand_ref) as tx:
                await store.retry(tx, self._outbox.table, some, due, reason)
            self._count("retried", some)
            self._report("retried later", some, reason, logged)

    async def dead_letter(
        self, items: Sequence[Claimed], reason: str, *, table: WorkTable | None = None, **logged: str
    ) -> None:
        """Make the items dead letters. `table` replaces the outbox's table where other columns are to be set."""
        for brand_ref, some in by_brand(items).items():
            async with self._lease_lock, self._database.transaction(brand_ref) as tx:
                await store.dead_letter(tx, table or self._outbox.table, some, clock.now(), reason)
            self._count("dead", some)
            self._report("dead letter", some, reason, logged)

    @asynccontextmanager
    async def holding(self, item: Claimed) -> AsyncIterator[Transaction]:
        """A transaction in which a feature records an outcome of its own; the lease does not change meanwhile."""
        async with self._lease_lock, self._database.transaction(item.brand_ref) as tx:
            yield tx

    def count_from_zero(self) -> None:
        """Export every outcome, so that Prometheus sees the first of each as an increase."""
        for outcome in ("done", "retried", "dead"):
            self._counter.labels(self._outbox.name, outcome)

    def count(self, outcome: str, item: Claimed) -> None:
        """For the metrics, where the feature recorded the outcome itself."""
        self._count(outcome, [item])

    async def release(self, items: Sequence[Claimed]) -> None:
        """Give the items back untried, so that another worker can claim them immediately."""
        for brand_ref, some in by_brand(items).items():
            async with self._lease_lock, self._database.transaction(brand_ref) as tx:
                await store.release(tx, self._outbox.table, some, clock.now())

    async def extend(self, items: Sequence[Claimed]) -> None:
        """Extend the leases of the items, except those that have an outcome or were claimed by another worker."""
        for brand_ref, some in by_brand(items).items():
            until = clock.now() + self._outbox.lease
            async with self._lease_lock:
                async with self._database.transaction(brand_ref) as tx:
                    await store.extend(tx, self._outbox.table, some, until)
                for each in some:
                    each.lease_until = until

    def _count(self, outcome: str, items: Sequence[Claimed]) -> None:
        self._counter.labels(self._outbox.name, outcome).inc(len(items))

    def _report(self, outcome: str, items: Sequence[Claimed], reason: str, logged: dict[str, str]) -> None:
        first: dict[str, object] = {
            **logged,
            "brand": items[0].brand_ref,
            "ref": items[0].ref,
            "attempt": items[0].attempts,
            "items": len(items),
        }
        self._log.warning("%s: %s", outcome, reason, extra={"fields": first})


def by_brand(items: Iterable[I]) -> dict[int, list[I]]:
    found: dict[int, list[I]] = {}
    for each in items:
        found.setdefault(each.brand_ref, []).append(each)
    return found
