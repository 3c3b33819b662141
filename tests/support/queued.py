"""What waits on the queue, done here and now, as the worker does it."""

from collections.abc import Awaitable, Callable
from functools import partial

import msgspec

from sitewright.kit.resources import Resources
from sitewright.processes import JOB_KINDS
from tests.support.users import OwnerConnection

Job = Callable[[], Awaitable[None]]


async def queued_jobs(owner: OwnerConnection, resources: Resources) -> list[Job]:
    """First put, first."""
    kinds = {kind.name: kind for kind in JOB_KINDS}
    return [
        partial(kinds[name].run, msgspec.json.decode(payload, type=kinds[name].payload), resources)
        for name, payload in await owner.fetch("select entrypoint, payload from jobs.queue order by id")
    ]


async def do_queued_jobs(owner: OwnerConnection, resources: Resources) -> None:
    """All of them, one after the other; the queue and its log are empty then."""
    for job in await queued_jobs(owner, resources):
        await job()
    await owner.execute("delete from jobs.queue; delete from jobs.log")
