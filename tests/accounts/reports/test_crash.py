"""When a worker is killed while it generates a report, another worker generates it."""

import os
import signal

import httpx

from tests.accounts.reports.conftest import BlockedReport
from tests.accounts.reports.support import opened, request_report
from tests.support.eventually import eventually
from tests.support.service import run_command

WAITING = "select count(*) from pg_locks where relation = 'charges'::regclass and not granted"
BEGUN = f"select starts from user_reports where finished_at is null and ({WAITING}) = 1"
PIECES_OF_FORMER_ATTEMPTS = """
    select count(*) from user_report_pieces p join user_reports r on r.ref = p.report_ref and r.attempt <> p.attempt
"""


async def wait_for_value(blocked: BlockedReport, query: str, value: int) -> None:
    async def has_value() -> bool:
        return bool(await blocked.lock_holder.fetchval(query) == value)

    await eventually(has_value)


async def finished(client: httpx.AsyncClient, path: str) -> httpx.Response:
    async def poll() -> httpx.Response | None:
        got = await client.get(path)
        return got if got.status_code == 200 else None

    response: httpx.Response = await eventually(poll)
    return response


async def test_another_worker_takes_over_from_a_killed_one(blocked: BlockedReport) -> None:
    for starts in (1, 2, 3):
        await wait_for_value(blocked, BEGUN, starts)
        os.kill(blocked.service.pids("worker")[-1], signal.SIGKILL)
        await blocked.end_leases()
    await wait_for_value(blocked, BEGUN, 4)
    async with blocked.service.client() as client:
        assert (await client.get(blocked.path)).status_code == 202
        await blocked.release()
        link = (await finished(client, blocked.path)).json()["report"]
        assert opened((await client.get(link)).content)["users.csv"] != []
    assert await blocked.lock_holder.fetchval(PIECES_OF_FORMER_ATTEMPTS) == 0


async def test_the_real_worker_generates_several_reports_concurrently(blocked: BlockedReport) -> None:
    """Both slots wait for a locked table; the other two reports are generated afterwards."""
    async with blocked.service.client() as client:
        paths = [blocked.path, *[await request_report(client) for _ in range(3)]]
        await wait_for_value(blocked, WAITING, 2)
        await blocked.release()
        for path in paths:
            await finished(client, path)


async def test_the_operator_sees_the_status_of_reports(blocked: BlockedReport) -> None:
    async with blocked.service.client() as client:
        await blocked.release()
        await finished(client, blocked.path)
    code, printed = await run_command(blocked.service.data_dir, "reports", "list")
    assert (code, "finished, until" in printed) == (0, True)
    await blocked.lock_holder.execute(
        "update user_reports set finished_at = null, expires_at = null, failed_at = now(), failure = 'a [reason]'"
        " where ref = (select max(ref) from user_reports)"
    )
    code, printed = await run_command(blocked.service.data_dir, "reports", "list", "--failed", "--limit", "1")
    assert (code, "a [reason]" in printed, "finished" in printed) == (0, True, False)
