"""What waits on the queue, done here and now, as the worker does it."""

from collections.abc import Awaitable, Callable
from functools import partial

import msgspec

from sitewright.kit.resources import Resources
from sitewright.processes import JOB_KINDS
from tests.support.users import OwnerConnection

Job = Callable[[], Awaitable[None]]


class Worker(msgspec.Struct):
    """Does the jobs that wait on the queue when it is told to; what these put there waits for the next time."""

    owner: OwnerConnection
    resources: Resources

    async def work(self) -> None:
        for name, payload in await self.owner.fetch("delete from jobs.queue returning entrypoint, payload"):
            await _job(name, payload, self.resources)()


async def queued_jobs(owner: OwnerConnection, resources: Resources) -> list[Job]:
    """First put, first."""
    waiting = await owner.fetch("select entrypoint, payload from jobs.queue order by id")
    return [_job(name, payload, resources) for name, payload in waiting]


async def do_queued_jobs(owner: OwnerConnection, resources: Resources) -> None:
    """All of them, one after the other; the queue and its log are empty then."""
    for job in await queued_jobs(owner, resources):
        await job()
    await owner.execute("delete from jobs.queue; delete from jobs.log")


def _job(name: str, payload: bytes, resources: Resources) -> Job:
    [kind] = [kind for kind in JOB_KINDS if kind.name == name]
    return partial(kind.run, msgspec.json.decode(payload, type=kind.payload), resources)
