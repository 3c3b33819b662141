"""`GET /metrics` for Prometheus: figures of all processes of a node."""

import asyncio
import os
import re
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx
import pytest

from sitewright.app import create_app
from sitewright.kit.metrics import JobCounts, remove_stale_files
from sitewright.kit.resources import Resources
from tests.support.cast import OWN_BRAND, Cast, SignedBy
from tests.support.probe_jobs import WRITE, Note

LANGUAGES = "/brands/{brand_ref:int}/languages"


def figure(text: str, name: str, **labels: str) -> float:
    """The value of one series; 0 if it does not exist yet."""
    for line in text.splitlines():
        series, _, value = line.rpartition(" ")
        if series.startswith(name + "{") and all(f'{key}="{want}"' in series for key, want in labels.items()):
            return float(value)
    return 0.0


async def test_requests_are_counted_by_method_route_and_status(owner: httpx.AsyncClient) -> None:
    before = (await owner.get("/metrics")).text
    for _ in range(3):
        await owner.get(f"/brands/{OWN_BRAND}/languages")
    await owner.get("/brands/2/languages")
    after = (await owner.get("/metrics")).text

    def grown(**labels: str) -> float:
        name = "sitewright_request_seconds_count"
        return figure(after, name, **labels) - figure(before, name, **labels)

    assert grown(method="GET", route=LANGUAGES, status="200") == 3
    assert grown(method="GET", route=LANGUAGES, status="403") == 1
    assert figure(after, "sitewright_request_seconds_bucket", route=LANGUAGES, status="200", le="+Inf") >= 3


async def test_refs_do_not_increase_label_cardinality(owner: httpx.AsyncClient) -> None:
    for ref in range(10, 20):
        await owner.get(f"/brands/{ref}/languages")
    routes = set(re.findall(r'route="([^"]*)"', (await owner.get("/metrics")).text))
    assert LANGUAGES in routes
    assert not any(re.search(r"/brands/\d", route) for route in routes)


async def test_jobs_are_counted_by_state(anonymous: httpx.AsyncClient, resources: Resources) -> None:
    async with resources.database.transaction(OWN_BRAND) as tx:
        for number in range(2):
            await WRITE.enqueue(tx, Note(str(number)))
        await tx.execute("update jobs.queue set status = 'failed' where id = (select max(id) from jobs.queue)")
    text = (await anonymous.get("/metrics")).text
    assert [figure(text, "sitewright_jobs", state=state) for state in ("waiting", "running", "failed")] == [1, 0, 1]


async def test_metrics_of_all_processes_are_merged(anonymous: httpx.AsyncClient, resources: Resources) -> None:
    """The response includes what another process of the same data folder counted, also after its end."""
    code = "import sys, pathlib; from sitewright.kit.metrics import Metrics;"
    code += "Metrics(pathlib.Path(sys.argv[1])).count_request('GET', '/from/the/other', 200, 0.001)"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, str(resources.settings.metrics_path))
    assert await process.wait() == 0
    text = (await anonymous.get("/metrics")).text
    assert figure(text, "sitewright_request_seconds_count", route="/from/the/other") == 1


def test_files_of_ended_processes_are_removed(tmp_path: Path) -> None:
    gone, alive = tmp_path / "histogram_999999999.db", tmp_path / f"histogram_{os.getpid()}.db"
    for file in (gone, alive):
        file.touch()
    remove_stale_files(tmp_path)
    assert (gone.exists(), alive.exists()) == (False, True)


Reader = Callable[..., Awaitable[int]]


@pytest.fixture
async def read_metrics(resources: Resources, clean: None) -> Reader:
    async def status(
        address: str, auth: httpx.Auth | tuple[str, str] | None = None, host: str = "127.0.0.1:8080", **headers: str
    ) -> int:
        transport = httpx.ASGITransport(create_app(resources), client=(address, 1))
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{host}", auth=auth) as client:
            return (await client.get("/metrics", headers=headers)).status_code

    return status


async def test_who_may_read_metrics(read_metrics: Reader, cast: Cast) -> None:
    """Local clients, and system-owners from anywhere."""
    assert await read_metrics("127.0.0.1") == 200
    assert await read_metrics("192.0.2.1") == 401
    assert await read_metrics("192.0.2.1", SignedBy(cast.owner)) == 403
    assert await read_metrics("192.0.2.1", cast.system_owner) == 200


@pytest.mark.parametrize(
    "header", ["X-Forwarded-For", "X-Forwarded-Port", "X-Real-IP", "Via", "CF-Connecting-IP", "Forwarded"]
)
async def test_a_forwarded_request_is_not_local(read_metrics: Reader, cast: Cast, header: str) -> None:
    assert await read_metrics("127.0.0.1", **{header: "203.0.113.9"}) == 401
    assert await read_metrics("127.0.0.1", cast.system_owner, **{header: "203.0.113.9"}) == 200


async def test_a_loopback_client_that_requests_a_public_host_is_not_local(read_metrics: Reader) -> None:
    assert await read_metrics("127.0.0.1", host="service.example.com") == 401


def test_the_new_file_of_a_starting_process_is_left_out(resources: Resources) -> None:
    file = Path(os.environ["PROMETHEUS_MULTIPROC_DIR"], "counter_0.db")
    file.touch()
    try:
        assert b"sitewright_jobs" in resources.metrics.exposition(JobCounts(1, 2, 3))
    finally:
        file.unlink()
