"""Due packages with real workers: processed immediately after a start, and exactly once even if workers are killed."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest

from sitewright.app import MAIL
from sitewright.demo.service import apply_demo_catalogue
from sitewright.kit.background import BACKEND_NICENESS, WRITERS
from sitewright.kit.migrations import migrate
from tests.support.customers import new_user
from tests.support.eventually import eventually
from tests.support.many_packages import make_packages
from tests.support.packages import TRIAL
from tests.support.service import COMMAND, Service, children_of, environment, owner_of, running_service

DUE = 6000


async def test_a_trial_that_ended_while_the_service_was_away(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    async with running_service(data_dir) as service, service.client(1) as client:
        made = await client.post("/users", json=new_user(brandRef=2))
        user_ref = made.json()["accountHolder"]["ref"]
        trial = service.demo["brands"][1]["packages"]["trial"]
        given = await client.post(f"/users/{user_ref}/account-packages", json={"packageRef": trial})
        assert given.status_code == 200, given.text
    async with running_service(data_dir, clock_offset_seconds=15 * 24 * 3600) as service, service.client(1) as client:

        async def is_on_the_default_package() -> bool:
            user = (await client.get(f"/users/{user_ref}")).json()["accountHolder"]
            return bool(user["subscriptionPackageRef"] == service.demo["brands"][1]["packages"]["default"])

        await eventually(is_on_the_default_package, within=10)


async def test_whoever_does_it_leaves_a_core_to_others_meanwhile(tmp_path: Path) -> None:
    async with running_service(tmp_path / "data") as service, service.client(1) as client:
        packages = service.demo["brands"][1]["packages"]
        user_ref = (await client.post("/users", json=new_user(brandRef=2))).json()["accountHolder"]["ref"]
        given = await client.post(f"/users/{user_ref}/account-packages", json={"packageRef": packages["trial"]})
        assert given.status_code == 200, given.text
        async with owner_of(service) as owner, owner_of(service) as holder:
            async with holder.transaction():
                await holder.execute("lock table package_sweep_failures")  # which is read while it stands aside
                await owner.execute(
                    "update account_packages set due_at = now() where user_ref = $1 and is_trial", user_ref
                )
                await eventually(lambda: cores_of(at_work(service)) == {EVERY_CORE[1:] or EVERY_CORE}, within=10)
                assert len(at_work(service)) > 1 + len(WRITERS)
                assert cores_of(service.pids("api")) == {EVERY_CORE}
                assert (await client.get(f"/users/{user_ref}")).status_code == 200
            await eventually(lambda: cores_of(at_work(service)) == {EVERY_CORE}, within=10)
        user = (await client.get(f"/users/{user_ref}")).json()["accountHolder"]
        assert user["subscriptionPackageRef"] == packages["default"]


EVERY_CORE = tuple(sorted(os.sched_getaffinity(0)))


def at_work(service: Service) -> list[int]:
    """The worker, the backends that work for it, and whoever writes to the disk what these have changed."""
    [postmaster] = (pid for pid, name in service.children().items() if "postgres" in name)
    children = children_of(postmaster)
    writers = [pid for pid, title in children.items() if title.rstrip().endswith(WRITERS)]
    return [*service.pids("worker"), *writers, *filter(works_for_worker, children)]


def works_for_worker(pid: int) -> bool:
    with suppress(ProcessLookupError):  # one that has just ended does not
        return os.getpriority(os.PRIO_PROCESS, pid) == BACKEND_NICENESS
    return False


def cores_of(pids: list[int]) -> set[tuple[int, ...]]:
    return {tuple(sorted(os.sched_getaffinity(pid))) for pid in pids}


@pytest.fixture
async def due_database(database_url: str, clean: None) -> str:
    owner = await asyncpg.connect(database_url)
    await owner.execute("drop database if exists due with (force)")
    await owner.execute("create database due")
    await owner.close()
    url = urlunsplit(urlsplit(database_url)._replace(path="/due"))
    await migrate(url)
    owner = await asyncpg.connect(url)
    await apply_demo_catalogue(owner, MAIL.kinds)
    await make_packages(owner, DUE, brand_ref=2, package_ref=TRIAL, called="u", is_trial=True, age=timedelta(days=20))
    await owner.close()
    return url


async def test_workers_killed_at_their_work_do_every_change_once(tmp_path: Path, due_database: str) -> None:
    """Two at a time, killed with SIGKILL one after the other while trials are left."""
    owner = await asyncpg.connect(due_database)

    async def done() -> int:
        count: int = await owner.fetchval("select count(*) from lifecycle_events")
        return count

    killed = 0
    while await done() < DUE:
        workers = [await start_worker(tmp_path, due_database) for _ in range(2)]
        before = await done()
        enough = before if killed < 3 else DUE - 1
        await eventually(partial(has_done_more, done, enough), within=60)
        for worker in workers:
            os.killpg(worker.pid, signal.SIGKILL)
            await worker.wait()
        killed += 1
    row = await owner.fetchrow(
        "select count(*), count(distinct user_ref), (select count(*) from account_packages where ended_at is null),"
        " (select count(*) from account_packages where ended_at is null and package_ref = 6),"
        " (select count(*) from mails where kind = 'trialEnded'),"
        " (select count(*) from (select at, lag(at) over (order by ref) as before from lifecycle_events) e"
        "   where at < before) from lifecycle_events"
    )
    await owner.close()
    assert row is not None
    assert tuple(row) == (DUE, DUE, DUE, DUE, DUE, 0)
    assert killed >= 2


async def has_done_more(done: Callable[[], Awaitable[int]], than: int) -> bool:
    return await done() > than


async def start_worker(folder: Path, database_url: str) -> asyncio.subprocess.Process:
    with (folder / "workers.log").open("ab") as log:
        return await asyncio.create_subprocess_exec(
            *COMMAND,
            "worker",
            env=environment(folder / "data", database_url=database_url, workers=1),
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
