"""Runs waiting jobs in the test's own process, as the worker would."""

from collections.abc import Awaitable, Callable
from functools import partial

import msgspec

from sitewright.domains.account_domains import jobs as registrations
from sitewright.kit import clock
from sitewright.kit.resources import Resources
from sitewright.processes import JOB_KINDS
from tests.support.users import OwnerConnection

Job = Callable[[], Awaitable[None]]


class Worker(msgspec.Struct):
    """Runs the waiting jobs on request; jobs that these enqueue wait for the next request."""

    owner: OwnerConnection
    resources: Resources

    async def work(self) -> None:
        for name, payload in await self.owner.fetch("delete from jobs.queue returning entrypoint, payload"):
            await _job(name, payload, self.resources)()
        await reconcile_registrations(self.owner, self.resources)


async def queued_jobs(owner: OwnerConnection, resources: Resources) -> list[Job]:
    """In the order in which they were enqueued."""
    waiting = await owner.fetch("select entrypoint, payload from jobs.queue order by id")
    return [_job(name, payload, resources) for name, payload in waiting]


async def run_queued_jobs(owner: OwnerConnection, resources: Resources) -> None:
    """Run all of them one after the other; then the queue and its log are empty."""
    for job in await queued_jobs(owner, resources):
        await job()
    await owner.execute("delete from jobs.queue; delete from jobs.log")
    await reconcile_registrations(owner, resources)


async def reconcile_registrations(owner: OwnerConnection, resources: Resources) -> None:
    """Of every domain that is due or waits for its retry."""
    await owner.execute("update account_domains set due_at = $1 where due_at is not null", clock.now())
    await registrations.LOOP.run_once(resources)


def _job(name: str, payload: bytes, resources: Resources) -> Job:
    [kind] = [kind for kind in JOB_KINDS if kind.name == name]
    return partial(kind.run, msgspec.json.decode(payload, type=kind.payload), resources)
