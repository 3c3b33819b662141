"""Due packages: the service's own worker processes 200,000 trials that have ended, while other callers send
requests."""

import asyncio
import time
from typing import TYPE_CHECKING

import asyncpg
import msgspec
import uvloop

from benchmarks.figures import Figure, Goal, MeasurementFailed
from benchmarks.measurement import Measurement
from benchmarks.population import Population, delete_mails
from benchmarks.probe import Waits, idle_against_busy, probe, probe_for, reads_of
from benchmarks.requests import address_of
from benchmarks.service import Service

if TYPE_CHECKING:
    from sitewright.kit.pool import Connection

GOAL_A_SECOND = 10_000
SPEED = Goal(f"trials expired a second / {GOAL_A_SECOND:,}", 1)
OTHERS = Goal("p99 of other calls: idle / while trials expire", None)
READ = Population(brand_ref=1, first_ref=5_000_000_000, users=1, package="free")
DUE = Population(brand_ref=2, first_ref=6_000_000_000, users=200_000, package="trial", trial_ended_seconds_ago=60)
IDLE_SECONDS = 4.0
LOOK_SECONDS = 0.05
LONGEST_SECONDS = 120


class Expired(msgspec.Struct, frozen=True):
    trials: int
    seconds: float
    waits: Waits
    """The latency of other callers meanwhile."""


def measure(service: Service) -> list[Figure]:
    asyncio.run(READ.put_into(service.database_url))
    idle = probe_for(IDLE_SECONDS, address_of(service.url), reads_of(service, READ))
    expired = uvloop.run(_expire(service))
    return [
        SPEED.measured(
            expired.trials / expired.seconds / GOAL_A_SECOND,
            f"{expired.trials:,} in {expired.seconds:.1f} s by the service's own worker, each with its event, its next"
            " package and its mail",
        ),
        idle_against_busy(OTHERS, idle, expired.waits, "while trials expire"),
    ]


async def _expire(service: Service) -> Expired:
    """Measure from the worker's first change to its last, since it looks for due packages only every few seconds."""
    owner = await asyncpg.connect(service.database_url)
    try:
        async with asyncio.timeout(LONGEST_SECONDS):
            before = await _events(owner)
            await DUE.fill(owner)
            while (begun := await _events(owner)) == before:  # noqa: ASYNC110 - the worker is another process
                await asyncio.sleep(LOOK_SECONDS)
            return await _finish(service, owner, before, begun - before)
    except TimeoutError:
        raise MeasurementFailed(f"the trials had not expired after {LONGEST_SECONDS} s") from None
    finally:
        await delete_mails(owner)
        await owner.close()


async def _finish(service: Service, owner: "Connection", before: int, begun: int) -> Expired:
    """`before`: the number of events before; `begun`: how many of the trials were done when the clock started."""
    started = time.perf_counter()
    over = asyncio.Event()
    probing = asyncio.create_task(probe(address_of(service.url), reads_of(service, READ), over))
    try:
        while not await _is_done(owner, before + DUE.users):  # noqa: ASYNC110 - as above
            await asyncio.sleep(LOOK_SECONDS)
        seconds = time.perf_counter() - started
    finally:
        over.set()
    await _check(owner)
    return Expired(DUE.users - begun, seconds, await probing)


async def _is_done(owner: "Connection", events: int) -> bool:
    """Read the last trial's row only when all have their event, since reading it earlier would disturb the
    measurement."""
    return await _events(owner) >= events and not await owner.fetchval(STILL_DUE, DUE.brand_ref, DUE.last_ref)


async def _events(owner: "Connection") -> int:
    """The last value of the sequence, since counting rows would disturb the measurement."""
    number: int = await owner.fetchval("select last_value from lifecycle_events_ref_seq where is_called")
    return number or 0


async def _check(owner: "Connection") -> None:
    row = await owner.fetchrow(CHECK, DUE.brand_ref, DUE.first_ref, DUE.last_ref)
    if row is None or set(row.values()) != {DUE.users}:
        raise MeasurementFailed(f"of {DUE.users} trials that ended the database holds {row}")


# The trial that is due last is processed last; the check afterwards verifies that all were.
STILL_DUE = """
    select exists (select from account_packages
                    where brand_ref = $1 and user_ref = $2 and is_trial and ended_at is null)
"""
CHECK = """
    select (select count(distinct user_ref) from lifecycle_events where brand_ref = $1 and user_ref between $2 and $3
               and kind = 'cancellation' and reason = 'trialEnded') as ended,
           (select count(*) from lifecycle_events where brand_ref = $1 and user_ref between $2 and $3) as events,
           (select count(*) from account_packages where brand_ref = $1 and user_ref between $2 and $3
               and ended_at is null and not is_trial) as packages,
           (select count(*) from mails where brand_ref = $1 and user_ref between $2 and $3
               and kind = 'trialEnded') as mails
"""

MEASUREMENT = Measurement(goals=[SPEED, OTHERS], measure=measure)
