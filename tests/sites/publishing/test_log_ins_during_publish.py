"""Log-ins and calls of one brand, while another brand publishes large sites one after the other."""

import asyncio
import os
from contextlib import suppress
from pathlib import Path

import httpx

from sitewright.sites.publishing import sandboxed_renderer
from sitewright.sites.publishing.prestarted_processes import PrestartedProcesses
from tests.sites.publishing.conftest import Stage
from tests.sites.publishing.test_speed import fill
from tests.support.browsing import log_in
from tests.support.cast import OTHER_BRAND
from tests.support.eventually import eventually
from tests.support.service import children_of
from tests.support.users import make_user

LARGE_SITE = 110
"""The number of pages from which a child process renders the site."""
LOG_INS = 5
RENDERING = "sitewright.sites.publishing.sandboxed_renderer"


def niceness_of_children(program: str) -> list[int]:
    """Niceness of our child processes that run this program."""
    found = []
    for pid in children_of(os.getpid()):
        with suppress(OSError):
            if program in (Path("/proc") / str(pid) / "cmdline").read_text():
                found.append(os.getpriority(os.PRIO_PROCESS, pid))
    return found


async def test_all_log_ins_succeed_and_rendering_has_a_lower_priority(
    stage: Stage, anonymous: httpx.AsyncClient, other_brand: httpx.AsyncClient
) -> None:
    await make_user(stage.rows, stage.resources, OTHER_BRAND, username="bea")
    await fill(stage, LARGE_SITE)
    are_done = asyncio.Event()

    async def publish_on() -> int:
        published = 0
        while not are_done.is_set():
            response = await stage.client.post(f"{stage.path}/publish")
            assert response.status_code in (200, 409), response.text
            published += response.status_code == 200
        return published

    publishing = [asyncio.create_task(publish_on()) for _ in range(2)]
    await eventually(lambda: bool(niceness_of_children(RENDERING)))
    rendering = list[int]()
    for _ in range(LOG_INS):
        assert (await log_in(anonymous, "bea")).status_code == 303
        assert (await other_brand.get("/users")).status_code == 200
        rendering += niceness_of_children(RENDERING)
    are_done.set()
    published = await asyncio.gather(*publishing)
    assert sum(published) >= 1
    assert rendering
    assert set(rendering) == {sandboxed_renderer.NICENESS}


def test_a_child_has_its_priority_before_it_runs_anything() -> None:
    """Importing modules is most of what a child does for a small site."""
    processes = PrestartedProcesses(["/bin/cat"], 7)
    with processes.child() as child:
        assert os.getpriority(os.PRIO_PROCESS, child.pid) == 7
        assert child.communicate(b"done")[0] == b"done"
    processes.close()
