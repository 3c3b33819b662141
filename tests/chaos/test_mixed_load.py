"""Everything that clients do, at the same time, while each part of the service is killed with SIGKILL.

One kill of each part in `make test`, a hundred in `make chaos`.
"""

import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from sitewright.demo.authority.behavior import Limits
from sitewright.demo.authority.service import Authority, authority
from tests.chaos.mixed_load import mixed_load
from tests.chaos.stage import report
from tests.chaos.test_kills import CUT_OFF, SUCCESSES, DatabaseKiller, kill_api, kill_worker
from tests.support.depth import share
from tests.support.eventually import eventually
from tests.support.journal import OF_OUR_OWN
from tests.support.service import TWO_OF_EACH, Service, free_port, running_service

KILLS, CLIENTS = share(1, 100), share(1, 4)
WRITES_BETWEEN = share(5, 20)
NO_LIMIT = 1_000_000
Kill = Callable[[Service, int], Awaitable[None]]


@asynccontextmanager
async def ordering_service(data_dir: Path) -> AsyncIterator[tuple[Service, Authority]]:
    site_port = free_port()
    async with authority(http_port=site_port, limits=Limits(orders_per_3_hours=NO_LIMIT)) as ca:
        settings = TWO_OF_EACH | {
            "acme_directory": ca.directory,
            "acme_ca_file": ca.ca_file,
            "acme_orders_per_3_hours": NO_LIMIT - 1,
            "login_failures_per_address": NO_LIMIT,
        }
        async with running_service(data_dir, site_port=site_port, **settings) as service:
            yield service, ca


async def kill_edge(service: Service, _number: int) -> None:
    before = service.pids("edge")
    os.kill(next(pid for pid in before if pid in service.children()), signal.SIGKILL)
    await eventually(lambda: len(service.pids("edge")) == len(before) + 1)


async def test_nothing_is_lost_or_duplicated(tmp_path: Path) -> None:
    kills: dict[str, Kill] = {
        "API": kill_api,
        "worker": kill_worker,
        "edge server": kill_edge,
        "PostgreSQL": DatabaseKiller().kill,
    }
    async with ordering_service(tmp_path / "var") as (service, ca):
        async with mixed_load(service, clients=CLIENTS) as load:
            for number in range(KILLS):
                for kill in kills.values():
                    await load.more_is_acknowledged(WRITES_BETWEEN)
                    await kill(service, number)
            await load.more_is_acknowledged(WRITES_BETWEEN)
        await load.check(ca)
        heard = load.journal.heard + load.notes.heard
        report(
            f"{KILLS} kills each of {', '.join(kills)}: {load.acknowledged} writes acknowledged,"
            f" {load.journal.replayed + load.notes.repeated} of them by a repetition; {len(ca.issued)} certificates;"
            f" heard {dict(heard)}"
        )
    assert set(heard) - OF_OUR_OWN <= SUCCESSES | CUT_OFF | {"503"}
