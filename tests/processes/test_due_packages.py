"""Due packages with real workers: processed immediately after a start, and exactly once even if workers are killed."""

import os
import signal
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest

from tests.support.customers import new_user
from tests.support.depth import share
from tests.support.eventually import eventually
from tests.support.forked import ForkedProcess, fork_command
from tests.support.many_packages import make_packages
from tests.support.packages import TRIAL
from tests.support.service import environment, running_service

DUE = share(2000, 4000)


async def test_a_trial_that_ended_while_the_service_was_stopped(tmp_path: Path) -> None:
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

        await eventually(is_on_the_default_package)


@pytest.fixture
async def due_database(database_url: str, pristine: str) -> str:
    owner = await asyncpg.connect(database_url)
    await owner.execute("drop database if exists due with (force)")
    await owner.execute(f"create database due template {pristine}")
    await owner.close()
    url = urlunsplit(urlsplit(database_url)._replace(path="/due"))
    owner = await asyncpg.connect(url)
    await make_packages(owner, DUE, brand_ref=2, package_ref=TRIAL, called="u", is_trial=True, age=timedelta(days=20))
    await owner.close()
    return url


async def test_killed_workers_apply_every_change_once(tmp_path: Path, due_database: str) -> None:
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
        await eventually(partial(has_done_more, done, enough))
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


async def start_worker(folder: Path, database_url: str) -> ForkedProcess:
    variables = environment(folder / "data", database_url=database_url, workers=1)
    with (folder / "workers.log").open("ab") as log:
        return await fork_command("worker", env=variables, output=log, new_session=True)
